import PopupJournal
@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// What producers are told of their numbered commands, against what the journal has of them.
struct Acknowledgements {
    private struct Producer {
        /// The sequences that the journal has, as commands or as refusals, each with the last batch that has it: all
        /// but the last was refused for want of room.
        var entered: [UInt64: UInt64] = [:]
        /// All from 1 on up to this are entered.
        var enteredThrough: UInt64 = 0
        /// Those that the broker remembered as settled when its turn was over.
        var settled: Set<UInt64> = []
        /// Those that an acknowledgement has told to be settled.
        var told: Set<UInt64> = []
        var cumulative: UInt64 = 0
        /// Those under which another command was sent.
        var contradicted: Set<UInt64> = []

        mutating func enter(_ sequence: UInt64, in batch: UInt64) {
            entered[sequence] = batch
            while entered[enteredThrough + 1] != nil { enteredThrough += 1 }
        }
    }

    /// Producers may be forgotten for others.
    private let isForgetful: Bool
    private var producers: [ProducerName: Producer] = [:]
    /// What was committed since the last look.
    private var fresh: [CommandSender] = []

    init(isForgetful: Bool) {
        self.isForgetful = isForgetful
    }

    /// Whether an acknowledgement has told that a sequence is settled, and it is.
    func isTold(_ sequence: UInt64, of producer: ProducerName) -> Bool {
        producers[producer]?.told.contains(sequence) ?? false
    }

    mutating func noteContradiction(of sequence: UInt64, by producer: ProducerName) {
        producers[producer, default: Producer()].contradicted.insert(sequence)
    }

    /// A batch is committed.
    mutating func note(_ batch: SimulatedJournal.Batch) throws(Failure) {
        var present: Set<CommandSender> = []
        for sender in Self.senders(in: batch.commands) {
            let isSettled = producers[sender.producer]?.settled.contains(sender.sequence) ?? false
            guard present.insert(sender).inserted, isForgetful || !isSettled else {
                throw Failure(check: "a numbered command is applied once", detail: "\(sender) is committed again")
            }
            producers[sender.producer, default: Producer()].enter(sender.sequence, in: batch.sequence)
            fresh.append(sender)
        }
    }

    /// The senders of the numbered commands of a batch, in their order.
    static func senders(in commands: [UInt8]) -> [CommandSender] {
        guard let entries = try? CommandLog.entries(in: commands) else { return [] }
        return entries.compactMap { entry in
            switch entry.kind {
            case .command:
                (try? WireCommand(serializedBytes: Array(commands[entry.range]))).flatMap { CommandSender($0) }
            case .amendedCommand:
                CommandLog.amended(entry, in: commands).flatMap {
                    try? WireCommand(serializedBytes: Array(commands[$0.command]))
                }.flatMap { CommandSender($0) }
            case .refusedSequence: try? RefusalEntry(bytes: commands[entry.range]).sender
            default: nil
            }
        }
    }

    /// An acknowledgement leaves.
    mutating func note(_ ack: WireAck, to name: ProducerName) throws(Failure) {
        var producer = producers[name] ?? Producer()
        defer { producers[name] = producer }
        let selected = ack.selected
        if let stranger = selected.first(where: { producer.entered[$0] == nil })
            ?? (ack.cumulative > producer.enteredThrough ? ack.cumulative : nil)
        {
            throw Failure(check: "nothing is acknowledged that isn't committed", detail: "\(name) \(stranger)")
        }
        guard isForgetful || ack.cumulative >= producer.cumulative else {
            throw Failure(
                check: "what is acknowledged stays so",
                detail: "\(name) up to \(ack.cumulative), before up to \(producer.cumulative)")
        }
        if ack.cumulative > producer.cumulative {
            producer.told.formUnion(producer.cumulative + 1...ack.cumulative)
        }
        producer.cumulative = ack.cumulative
        producer.told.formUnion(selected)
        for refusal in ack.refusals {
            let isRight =
                switch refusal.reason {
                case .overload: !ack.settles(refusal.sequence)
                case .sequenceReused:
                    producer.contradicted.contains(refusal.sequence)
                default: ack.settles(refusal.sequence)
                }
            guard isRight else {
                throw Failure(check: "refusals settle what they should", detail: "\(name) \(refusal)")
            }
        }
    }

    /// A turn is over: what was committed is settled, but for what there was no room for.
    mutating func settle(_ sessions: borrowing ProducerSessions) {
        for sender in fresh {
            guard let index = sessions.index(of: sender.producer), sessions[index].isSettled(sender.sequence) else {
                continue
            }
            producers[sender.producer]?.settled.insert(sender.sequence)
        }
        fresh.removeAll()
    }

    /// A process has begun: it remembers what was told.
    mutating func begin(_ sessions: borrowing ProducerSessions) throws(Failure) {
        fresh.removeAll()
        guard !isForgetful else { return }
        for (name, producer) in producers.sorted(by: { $0.key.high < $1.key.high }) {
            let index = sessions.index(of: name)
            let settled = producer.entered.keys.filter { sequence in
                guard let index else { return false }
                return sessions[index].isSettled(sequence)
            }
            if let lost = producer.told.subtracting(settled).min() {
                throw Failure(check: "nothing acknowledged is lost", detail: "\(name) \(lost) after a restart")
            }
            producers[name]?.settled = Set(settled)
        }
    }

    /// The journal has lost what isn't in it any more.
    mutating func rollBack(to history: [SimulatedJournal.Batch]) {
        let before = producers
        producers = before.mapValues { Producer(contradicted: $0.contradicted) }
        for batch in history {
            for sender in Self.senders(in: batch.commands) {
                producers[sender.producer]?.enter(sender.sequence, in: batch.sequence)
            }
        }
        let last = history.last?.sequence ?? 0
        for (name, producer) in before {
            producers[name]?.told = producer.told.filter { producer.entered[$0].map { $0 <= last } ?? false }
        }
        fresh.removeAll()
    }
}
