@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import PopupState
import Testing

@Suite("Acknowledgements, without a loop")
struct AcknowledgementsTests {
    /// Acknowledgements, and the state in which sequences are settled.
    private struct Table: ~Copyable {
        var acknowledgements = Acknowledgements(ProducerSessions.Bounds(producers: 2), at: 0)
        var state = BrokerState(JournaledSettings(limits: Limits(), seed: 0))

        /// Looks up a command of a producer, and registers it if it is new.
        mutating func send(_ producer: UInt64, _ sequence: UInt64, digest: UInt64) -> String {
            let sender = CommandSender(numbered: ProducerName(high: producer, low: 0), sequence)
            switch acknowledgements.lookUp(sender, digest: digest, in: &state, at: 0) {
            case nil:
                let refusal = acknowledgements.begin(sender, from: nil, at: 0)
                return refusal?.reason.name ?? send(producer, sequence, digest: digest)
            case .new(let command): return "new \(acknowledgements.register(command, in: state.producers).number)"
            case .known(let refusal): return "known \(refusal?.reason.name ?? "-")"
            case .refused(let refusal): return refusal.reason.name
            }
        }

        mutating func closeBatch() { acknowledgements.closeBatch(in: &state) }

        /// Applies the oldest closed batch, with this number of commands, all with this outcome.
        mutating func apply(_ count: Int, refusedFor refusal: SettledRefusal? = nil) {
            var output = EventBuffer()
            for number in (0..<count).map(NumberedBatch.Index.init(number:)) {
                let entry = refusal.map { BrokerState.Entry.refused($0) } ?? .query
                let outcome = state.apply(entry, from: acknowledgements.origin(of: number), at: 0, into: &output)
                acknowledgements.settle(outcome, of: number, at: 0)
            }
            acknowledgements.endOldestBatch(in: &state)
        }

        /// The producers with a pending acknowledgement, and its refusals that settle nothing.
        mutating func pending() -> [String] {
            var pending: [String] = []
            while let ack = acknowledgements.takePending(in: state.producers, at: 0) {
                let reasons = ack.passing.map { " \($0.sequence) \($0.reason.name)" }.joined()
                pending.append("\(ack.producer.high)\(ack.session == nil ? "" : " settled")\(reasons)")
            }
            return pending
        }
    }

    @Test("know a repetition in the gathered batch, in each closed one, and after it is settled")
    func repetitions() {
        var table = Table()
        var found: [String] = []
        found.append(table.send(1, 1, digest: 10))
        found.append(table.send(1, 1, digest: 10))
        table.closeBatch()
        found.append(table.send(1, 1, digest: 10))
        found.append(table.send(1, 2, digest: 20))
        table.closeBatch()
        found.append(table.send(1, 2, digest: 20))
        table.apply(1)
        found.append(table.send(1, 1, digest: 10))
        found.append(table.send(1, 2, digest: 20))
        table.apply(1, refusedFor: SettledRefusal(.invalid, "no"))
        found.append(table.send(1, 2, digest: 20))
        #expect(
            found == ["new 0", "known -", "known -", "new 0", "known -", "known -", "known -", "known INVALID"])
        let repetitions = table.acknowledgements.repetitions
        #expect(repetitions == 6)
    }

    @Test("refuse another command under a sequence that was used, wherever the first one is")
    func sequencesReused() {
        var table = Table()
        var found = [table.send(1, 1, digest: 10), table.send(1, 1, digest: 11)]
        table.closeBatch()
        found.append(table.send(1, 1, digest: 11))
        table.apply(1)
        found.append(table.send(1, 1, digest: 11))
        #expect(found == ["new 0", "SEQUENCE_REUSED", "SEQUENCE_REUSED", "SEQUENCE_REUSED"])
        let (pending, reused) = (table.pending(), table.acknowledgements.sequencesReused)
        #expect(pending == ["1 settled 1 SEQUENCE_REUSED"])
        #expect(reused == 3)
    }

    @Test("are pending once to each producer of a batch, and say what could not be committed")
    func failedBatch() {
        var table = Table()
        _ = [table.send(1, 1, digest: 1), table.send(1, 2, digest: 2), table.send(2, 1, digest: 1)]
        table.closeBatch()
        table.acknowledgements.refuseOldestBatch(CommandRefusal(.overload, "full"), at: 0)
        table.apply(0)
        let pending = table.pending()
        #expect(pending == ["1 1 OVERLOAD 2 OVERLOAD", "2 1 OVERLOAD"])
        // Nothing of it is settled: it may come again.
        let again = table.send(1, 1, digest: 1)
        #expect(again == "new 0")
    }

    @Test("tell a producer for which there is no room that there is none")
    func crowded() {
        var table = Table()
        let found = [table.send(1, 1, digest: 1), table.send(2, 1, digest: 1), table.send(3, 1, digest: 1)]
        #expect(found == ["new 0", "new 1", "OVERLOAD"])
        let pending = table.pending()
        #expect(pending.first == "3 1 OVERLOAD")
    }
}
