public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// The scheduler's policy of a `setPolicy`.
public enum PolicyTranslator {
    /// The policy of a message of the wire or of a configuration: the preset, and what is set over it.
    ///
    /// - Throws: `INVALID` or `UNSUPPORTED`, naming the field.
    public static func policy(_ message: WireSetPolicy) throws(CommandRefusal) -> Policy {
        var admission = CommandAdmission(epoch: 0)
        var command = WireCommand.with { $0.setPolicy = message }
        try admission.admit(&command)
        return translate(message)
    }

    /// The policy of a valid message.
    static func translate(_ message: WireSetPolicy) -> Policy {
        var policy = preset(message.preset)
        if let higher = interruption(message.higher) { policy.higher = higher }
        if let peers = interruption(message.peers) { policy.peers = peers }
        if let lower = interruption(message.lower) { policy.lower = lower }
        if message.hasIgnorePriority { policy.ignorePriority = message.ignorePriority }
        switch message.resume {
        case .remaining: policy.resumption = .remaining
        case .restart: policy.resumption = .restart
        case .unspecified, .UNRECOGNIZED: break
        }
        if message.hasGapMs {
            policy.gap = message.gapMs...message.gapMs
        } else if message.hasGapMinMs || message.hasGapMaxMs {
            policy.gap = message.gapMinMs...message.gapMaxMs
        }
        if message.hasDefaultDurationMs { policy.defaultDuration = message.defaultDurationMs }
        if message.hasMaxDurationMs { policy.maximumDuration = message.maxDurationMs }
        if message.hasMaxWaiting { policy.maximumWaiting = message.maxWaiting }
        switch message.overflow {
        case .rejectNew: policy.overflow = .rejectNew
        case .dropLowest: policy.overflow = .dropLowest
        case .dropOldest: policy.overflow = .dropOldest
        case .unspecified, .UNRECOGNIZED: break
        }
        return policy
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
