package import PopupProtocol
package import PopupScheduling
import SwiftProtobuf

/// The translation of `setPolicy` to a policy of the scheduler.
public enum PolicyTranslator {
    /// Returns the policy of a valid message. Leaves out quiet windows whose time zone is not in the table.
    package static func translate(_ message: WireSetPolicy, zones: TimeZoneTable) -> Policy {
        var policy = preset(message.preset)
        setMeetings(message, &policy)
        setTimes(message, &policy)
        setBounds(message, &policy)
        setRenderers(message, &policy)
        policy.quiet = message.quiet.compactMap { window($0, zones) }
        policy.pageTree = Array(message.pageTree.utf8)
        return policy
    }

    /// Sets the rules for newcomers of higher, equal and lower priority.
    private static func setMeetings(_ message: WireSetPolicy, _ policy: inout Policy) {
        if let higher = interruption(message.higher) { policy.higher = higher }
        if let peers = interruption(message.peers) { policy.peers = peers }
        if let lower = interruption(message.lower) { policy.lower = lower }
        if message.hasIgnorePriority { policy.ignorePriority = message.ignorePriority }
        if message.hasAgingMs { policy.aging = message.agingMs }
        switch message.resume {
        case .remaining: policy.resumption = .remaining
        case .restart: policy.resumption = .restart
        case .unspecified, .UNRECOGNIZED: break
        }
    }

    private static func setTimes(_ message: WireSetPolicy, _ policy: inout Policy) {
        if message.hasGapMs {
            policy.gap = message.gapMs...message.gapMs
        } else if message.hasGapMinMs || message.hasGapMaxMs {
            // The log of a fleet may hold what no admission has seen.
            policy.gap = message.gapMinMs...max(message.gapMinMs, message.gapMaxMs)
        }
        if message.hasDefaultDurationMs { policy.defaultDuration = message.defaultDurationMs }
        if message.hasMaxDurationMs { policy.maxDuration = message.maxDurationMs }
        if message.hasGatherMs { policy.gather = message.gatherMs }
        switch message.clock {
        case .display: policy.clock = .display
        case .visible: policy.clock = .visible
        case .unspecified, .UNRECOGNIZED: break
        }
    }

    /// Sets the limits of the queue, and of the number of showings.
    private static func setBounds(_ message: WireSetPolicy, _ policy: inout Policy) {
        if message.hasMaxWaiting { policy.maxWaiting = message.maxWaiting }
        switch message.overflow {
        case .rejectNew: policy.overflow = .rejectNew
        case .dropLowest: policy.overflow = .dropLowest
        case .dropOldest: policy.overflow = .dropOldest
        case .unspecified, .UNRECOGNIZED: break
        }
        policy.caps = message.caps.map { Cap(key: Array($0.capKey.utf8), most: $0.most, window: $0.perMs) }
    }

    /// Sets the rules for offers, quorums, and popups that renderers do not display.
    private static func setRenderers(_ message: WireSetPolicy, _ policy: inout Policy) {
        if message.hasOfferMs { policy.offer = message.offerMs }
        switch message.offerDefault {
        case .show: policy.offerDefault = .show
        case .close: policy.offerDefault = .close
        case .unspecified, .UNRECOGNIZED: break
        }
        if message.hasRetryMs { policy.retry = message.retryMs }
        if message.hasDisplayTimeoutMs { policy.displayTimeout = message.displayTimeoutMs }
        switch message.undisplayed {
        case .hold: policy.undisplayed = .hold
        case .skip: policy.undisplayed = .skip
        case .close: policy.undisplayed = .close
        case .unspecified, .UNRECOGNIZED: break
        }
        switch message.rendererLost {
        case .hold: policy.rendererLost = .hold
        case .requeue: policy.rendererLost = .requeue
        case .close: policy.rendererLost = .close
        case .unspecified, .UNRECOGNIZED: break
        }
        if message.hasMaxAttempts { policy.maxAttempts = message.maxAttempts }
        if message.hasQuorum { policy.quorum = message.quorum }
        if message.hasQuorumAll { policy.quorumAll = message.quorumAll }
    }

    private static func window(_ window: WireQuietWindow, _ zones: TimeZoneTable) -> QuietWindow? {
        guard let zone = zones[window.timeZone], let from = WireQuietWindow.minutes(of: window.from),
            let to = WireQuietWindow.minutes(of: window.to)
        else { return nil }
        return QuietWindow(
            from: from, to: to, zone: zone.rules,
            minimumPriority: window.hasMinPriority ? window.minPriority : nil)
    }

    private static func preset(_ name: WirePreset.Name) -> Policy {
        switch name {
        case .fifo: .fifo
        case .lifo: .lifo
        case .polite: .polite
        case .stacked: .stacked
        case .priority, .unspecified, .UNRECOGNIZED: .priority
        }
    }

    private static func interruption(_ kind: WireInterruption.Kind) -> Policy.Interruption? {
        switch kind {
        case .stop: .stop
        case .pause: .pause
        case .defer: .defer
        case .never: .never
        case .unspecified, .UNRECOGNIZED: nil
        }
    }
}
