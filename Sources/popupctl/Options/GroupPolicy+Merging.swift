@_spi(Wire) import PopupClient
import SwiftProtobuf

extension GroupPolicy {
    /// Returns this policy, with the rules of another one where it says nothing.
    func over(_ policy: GroupPolicy) throws -> GroupPolicy {
        var result = policy
        if preset != .unspecified {
            result.higher = .unspecified
            result.peers = .unspecified
            result.lower = .unspecified
            result.ignorePriority = nil
            result.resume = .unspecified
        }
        if !caps.isEmpty { result.caps = [] }
        if !quiet.isEmpty { result.quiet = [] }
        // Fields of which a policy has one or the other.
        if gapMs != nil {
            result.gapMinMs = nil
            result.gapMaxMs = nil
        } else if gapMinMs != nil || gapMaxMs != nil, let gap = result.gapMs {
            result.gapMinMs = gap
            result.gapMaxMs = gap
            result.gapMs = nil
        }
        if quorum != nil { result.quorumAll = nil }
        if quorumAll != nil { result.quorum = nil }
        try result.wire.merge(serializedBytes: wire.serializedBytes() as [UInt8])
        return result
    }
}
