import PopupClient
import SwiftProtobuf

extension GroupPolicy {
    /// Returns this policy, with the rules of another one where it says nothing.
    func over(_ policy: GroupPolicy) throws -> GroupPolicy {
        var result = policy
        if preset != .unspecified {
            result.higher = .unspecified
            result.peers = .unspecified
            result.lower = .unspecified
            result.clearIgnorePriority()
            result.resume = .unspecified
        }
        if !caps.isEmpty { result.caps = [] }
        if !quiet.isEmpty { result.quiet = [] }
        // Fields of which a policy has one or the other.
        if hasGapMs {
            result.clearGapMinMs()
            result.clearGapMaxMs()
        } else if hasGapMinMs || hasGapMaxMs, result.hasGapMs {
            result.gapMinMs = result.gapMs
            result.gapMaxMs = result.gapMs
            result.clearGapMs()
        }
        if hasQuorum { result.clearQuorumAll() }
        if hasQuorumAll { result.clearQuorum() }
        try result.merge(serializedBytes: serializedBytes() as [UInt8])
        return result
    }
}
