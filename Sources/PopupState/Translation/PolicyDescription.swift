package import PopupProtocol
package import PopupScheduling
import SwiftProtobuf

/// The translation of a policy of the scheduler to a `setPolicy` with every field.
package enum PolicyDescription {
    /// Returns the message that sets a policy. A time zone has the first name in `zones` with the same clocks.
    package static func describe(_ policy: Policy, of pattern: String, zones: TimeZoneTable) -> WireSetPolicy {
        var message = WireSetPolicy()
        message.group = pattern
        message.preset = preset(of: policy)
        message.higher = WireInterruption.Kind(policy.higher)
        message.peers = WireInterruption.Kind(policy.peers)
        message.lower = WireInterruption.Kind(policy.lower)
        message.ignorePriority = policy.ignorePriority
        message.resume = policy.resumption == .restart ? .restart : .remaining
        describeTimes(policy, &message)
        describeBounds(policy, &message)
        describeRenderers(policy, &message)
        message.quiet = policy.quiet.map { describe($0, zones) }
        if !policy.pageTree.isEmpty { message.pageTree = String(decoding: policy.pageTree, as: UTF8.self) }
        return message
    }

    /// Returns the message with every field, as its preset and its fields resolve to.
    package static func resolved(_ message: WireSetPolicy) -> WireSetPolicy {
        var result = describe(
            PolicyTranslator.translate(message, zones: TimeZoneTable()), of: message.group, zones: TimeZoneTable())
        result.quiet = message.quiet
        return result
    }

    /// Returns the preset with the same rules for newcomers, as messages call it; unspecified if none has them.
    private static func preset(of policy: Policy) -> WirePreset.Name {
        let presets: [(WirePreset.Name, Policy)] = [
            (.priority, .priority), (.fifo, .fifo), (.lifo, .lifo), (.polite, .polite), (.stacked, .stacked),
        ]
        let same = presets.first { _, preset in
            preset.higher == policy.higher && preset.peers == policy.peers && preset.lower == policy.lower
                && preset.ignorePriority == policy.ignorePriority && preset.resumption == policy.resumption
        }
        return same?.0 ?? .unspecified
    }

    private static func describeTimes(_ policy: Policy, _ message: inout WireSetPolicy) {
        if policy.gap.lowerBound == policy.gap.upperBound {
            message.gapMs = policy.gap.lowerBound
        } else {
            message.gapMinMs = policy.gap.lowerBound
            message.gapMaxMs = policy.gap.upperBound
        }
        message.gatherMs = policy.gather
        message.defaultDurationMs = policy.defaultDuration
        message.maxDurationMs = policy.maxDuration
        message.agingMs = policy.aging
        message.clock = policy.clock == .visible ? .visible : .display
    }

    private static func describeBounds(_ policy: Policy, _ message: inout WireSetPolicy) {
        if let most = policy.maxWaiting { message.maxWaiting = most }
        message.overflow =
            switch policy.overflow {
            case .rejectNew: .rejectNew
            case .dropLowest: .dropLowest
            case .dropOldest: .dropOldest
            }
        message.caps = policy.caps.map { cap in
            .with {
                $0.capKey = String(decoding: cap.key, as: UTF8.self)
                $0.most = cap.most
                $0.perMs = cap.window
            }
        }
    }

    private static func describeRenderers(_ policy: Policy, _ message: inout WireSetPolicy) {
        message.offerMs = policy.offer
        message.offerDefault = policy.offerDefault == .close ? .close : .show
        message.retryMs = policy.retry
        message.displayTimeoutMs = policy.displayTimeout
        message.undisplayed =
            switch policy.undisplayed {
            case .hold: .hold
            case .skip: .skip
            case .close: .close
            }
        message.rendererLost =
            switch policy.rendererLost {
            case .hold: .hold
            case .requeue: .requeue
            case .close: .close
            }
        message.maxAttempts = policy.maxAttempts
        // The two exclude each other in a message.
        if policy.quorumAll { message.quorumAll = true } else { message.quorum = policy.quorum }
    }

    private static func describe(_ window: QuietWindow, _ zones: TimeZoneTable) -> WireQuietWindow {
        .with {
            $0.from = clockTime(window.from)
            $0.to = clockTime(window.to)
            $0.timeZone = zones.name(of: window.zone) ?? ""
            if let priority = window.minimumPriority { $0.minPriority = priority }
        }
    }

    /// Returns minutes since midnight as a time of day, such as `07:05`.
    private static func clockTime(_ minutes: UInt16) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}

extension WireInterruption.Kind {
    fileprivate init(_ interruption: Policy.Interruption) {
        self =
            switch interruption {
            case .stop: .stop
            case .pause: .pause
            case .defer: .defer
            case .never: .never
            }
    }
}
