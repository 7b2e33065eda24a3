import Foundation
import PopupProtocol

extension WireAck {
    /// Whether a sequence is settled: committed or refused.
    func covers(_ sequence: UInt64) -> Bool {
        if sequence <= cumulative { return true }
        // The one after `cumulative` is open, or it would be cumulative.
        guard sequence - cumulative >= 2 else { return false }
        let bit = sequence - cumulative - 2
        guard bit < UInt64(selective.count) * 8 else { return false }
        return selective[selective.startIndex + Int(bit / 8)] >> UInt8(bit % 8) & 1 == 1
    }
}
