import Foundation
import PopupClient
import PopupProtocol

/// What a broker remembers of its producers: which sequences are settled, and which of them it refused.
struct FakeProducerSessions {
    /// What becomes of a command.
    enum Verdict {
        case accept
        case refuse(WireRefused.Reason, String)
        /// Not now: the sequence stays open.
        case putOff(milliseconds: UInt32)
    }

    private struct Account {
        var settled: Set<UInt64> = []
        var cumulative: UInt64 = 0
        var refusals: [WireRefusal] = []
        /// Told with the next acknowledgement only.
        var putOff: [WireRefusal] = []
    }

    var epoch: UInt64 = 1
    private var accounts: [String: Account] = [:]

    /// - Parameter judge: Asked once for each sequence that is not settled yet.
    /// - Returns: Whether the command is to be applied.
    mutating func admit(_ command: WireCommand, _ judge: (WireCommand) -> Verdict) -> Bool {
        var account = accounts[command.producer] ?? Account()
        defer { accounts[command.producer] = account }
        guard command.sequence > account.cumulative, !account.settled.contains(command.sequence) else { return false }
        var refusal = WireRefusal()
        refusal.sequence = command.sequence
        let verdict = judge(command)
        switch verdict {
        case .accept: break
        case .refuse(let reason, let detail):
            refusal.reason = reason
            refusal.detail = detail
            account.refusals.append(refusal)
        case .putOff(let milliseconds):
            refusal.reason = .overload
            refusal.retryAfterMs = milliseconds
            account.putOff.append(refusal)
            return false
        }
        account.settled.insert(command.sequence)
        while account.settled.remove(account.cumulative + 1) != nil { account.cumulative += 1 }
        if case .accept = verdict { return true }
        return false
    }

    mutating func ack(for producer: String) -> WireAck? {
        guard let account = accounts[producer] else { return nil }
        accounts[producer]?.putOff = []
        var ack = WireAck()
        ack.epoch = epoch
        ack.cumulative = account.cumulative
        ack.refusals = account.refusals.suffix(256) + account.putOff
        var bits = [UInt8](repeating: 0, count: 32)
        for sequence in account.settled where sequence - account.cumulative - 2 < 256 {
            let bit = Int(sequence - account.cumulative - 2)
            bits[bit / 8] |= 1 << (bit % 8)
        }
        ack.selective = Data(bits)
        return ack
    }
}
