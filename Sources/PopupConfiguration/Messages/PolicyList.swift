import PopupBroker
import PopupProtocol
import SwiftProtobuf

extension MessageList<WireSetPolicy> {
    /// Returns the reader of the list `policies`. Each element is a `setPolicy` with the fields of the protocol.
    static func policies(file: String) -> Self {
        let fields: [[String]: [String]] = [
            []: fieldNames(of: WireSetPolicy.self),
            ["caps"]: fieldNames(of: WireCap.self),
            ["quiet"]: fieldNames(of: WireQuietWindow.self),
        ]
        return Self(file: file, key: "policies", fields: fields, group: \.group) { policy throws(CommandRefusal) in
            _ = try PolicyTranslator.policy(policy)
        } mend: { policy, path in
            policy.mend(path)
        }
    }
}

extension WireSetPolicy {
    /// Replaces the field of a cap or a quiet window by a valid value, or removes another field.
    fileprivate mutating func mend(_ path: String) -> Bool {
        if let match = path.wholeMatch(of: /(quiet|caps)\[([0-9]+)\](?:\.([A-Za-z]+))?/), let index = Int(match.2) {
            if match.1 == "caps" {
                guard caps.indices.contains(index) else { return false }
                caps[index] = .with { ($0.most, $0.perMs) = (1, 1000 + UInt32(index)) }
                return true
            }
            guard quiet.indices.contains(index) else { return false }
            switch match.3 {
            case "from": quiet[index].from = "00:00"
            case "to": quiet[index].to = "12:01"
            case "timeZone": quiet[index].timeZone = "UTC"
            default: quiet[index] = .with { ($0.from, $0.to, $0.timeZone) = ("00:00", "12:01", "UTC") }
            }
            return true
        }
        switch path {
        case "quorum": clearQuorum()
        case "gapMs", "gapMinMs", "gapMaxMs":
            clearGapMs()
            clearGapMinMs()
            clearGapMaxMs()
        case "pageTree": pageTree = ""
        default: return false
        }
        return true
    }
}
