import Foundation
import PopupProtocol

extension WireReceipt {
    /// Whether a sequence is settled: committed or refused.
    func covers(_ sequence: UInt64) -> Bool {
        if sequence <= contiguous { return true }
        // The one after `contiguous` is open, or it would be contiguous.
        guard sequence - contiguous >= 2 else { return false }
        let bit = sequence - contiguous - 2
        guard bit < UInt64(selective.count) * 8 else { return false }
        return selective[selective.startIndex + Int(bit / 8)] >> UInt8(bit % 8) & 1 == 1
    }
}
