@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf

/// What the log makes of producers' sequences.
private final class Ledger {
    private var state = BrokerState(JournaledSettings(limits: Limits(), seed: 0))
    private var output = EventBuffer()

    func follow(_ entry: LogEntry) throws {
        try state.apply(
            JournalBatch(sequence: entry.index, time: entry.time, commands: entry.commands), into: &output)
    }

    func isSettled(_ sender: CommandSender) -> Bool {
        guard let index = state.producers.index(of: sender.producer) else { return false }
        return state.producers[index].isSettled(sender.sequence)
    }
}

/// What producers are told of their numbered commands, against the log.
struct FleetAcknowledgements {
    /// The place of a command in the log.
    private struct Place: Comparable {
        var index: UInt64
        var position: Int

        static func < (left: Self, right: Self) -> Bool {
            (left.index, left.position) < (right.index, right.position)
        }
    }

    private struct Settled {
        var place: Place
        var epoch: UInt64
    }

    /// The sequences that the log settles.
    private var settled: [CommandSender: Settled] = [:]
    /// Those from 1 on without a gap: for each the latest epoch that wrote it or one before.
    private var through: [ProducerName: [UInt64]] = [:]
    private var cumulative: [ProducerName: [UInt64: UInt64]] = [:]
    private let ledger = Ledger()
    private var sent: [CommandSender: Milliseconds] = [:]
    private var acknowledged: [(sender: CommandSender, at: Milliseconds)] = []
    private var known: [String: Set<UInt64>] = [:]

    /// The number of commands that producers know to be settled.
    var count: Int { acknowledged.count }

    /// A batch is in the log.
    mutating func note(_ entry: LogEntry) -> Failure? {
        guard entry.kind == .batch else { return nil }
        let senders = Acknowledgements.senders(in: entry.commands)
        // One that was refused for want of room is not settled, and may come again.
        for sender in senders {
            guard let before = settled[sender] else { continue }
            return Failure(
                check: "a numbered command is applied once",
                detail: "\(sender) in \(before.place.index) and \(entry.index)")
        }
        do { try ledger.follow(entry) } catch { return Failure(check: "the log can be read", detail: "\(error)") }
        for (position, sender) in senders.enumerated() where ledger.isSettled(sender) {
            let place = Place(index: entry.index, position: position)
            guard settled.updateValue(Settled(place: place, epoch: entry.epoch), forKey: sender) == nil else {
                return Failure(check: "a numbered command is applied once", detail: "\(sender) in \(entry.index)")
            }
            var epochs = through[sender.producer] ?? []
            while let next = settled[CommandSender(numbered: sender.producer, UInt64(epochs.count) + 1)] {
                epochs.append(max(epochs.last ?? 0, next.epoch))
            }
            through[sender.producer] = epochs
        }
        return nil
    }

    /// A frame is sent.
    mutating func noteSent(_ frame: [UInt8], at now: Milliseconds) {
        for command in Ingress.commands(in: frame) {
            guard let sender = (try? command.get()).flatMap({ CommandSender($0) }) else { continue }
            sent[sender] = sent[sender] ?? now
        }
    }

    /// A message leaves a process.
    mutating func note(_ message: SimulatedTransport.Message) -> Failure? {
        guard case .acks(let producer, let encoding)? = Topic(String(decoding: message.topic, as: UTF8.self)) else {
            return nil
        }
        guard let ack: WireAck = try? encoding.decode(message.body) else {
            return Failure(check: "bodies can be read", detail: "\(message.topic)")
        }
        let epochs = through[producer] ?? []
        for sequence in ack.selected where settled[CommandSender(numbered: producer, sequence)] == nil {
            return Failure(check: "nothing is acknowledged that is not in the log", detail: "\(producer) \(sequence)")
        }
        guard ack.cumulative <= epochs.count else {
            return Failure(
                check: "nothing is acknowledged that is not in the log",
                detail: "\(producer) up to \(ack.cumulative), in the log up to \(epochs.count)")
        }
        if ack.cumulative > 0, epochs[Int(ack.cumulative) - 1] > ack.epoch {
            return Failure(
                check: "an owner acknowledges what it can know",
                detail: "epoch \(ack.epoch): \(producer) up to \(ack.cumulative)")
        }
        let before = cumulative[producer]?[ack.epoch] ?? 0
        guard ack.cumulative >= before else {
            return Failure(
                check: "what is acknowledged stays so",
                detail: "\(producer) up to \(ack.cumulative), before up to \(before), epoch \(ack.epoch)")
        }
        cumulative[producer, default: [:]][ack.epoch] = ack.cumulative
        for refusal in ack.refusals where (refusal.reason == .overload) == ack.settles(refusal.sequence) {
            return Failure(check: "refusals settle what they should", detail: "\(producer) \(refusal)")
        }
        return nil
    }

    /// A producer has received something.
    mutating func noteOutcomes(of producer: NumberingProducer, at now: Milliseconds) {
        guard let name = ProducerName(producer.id), producer.outcomes.count > known[producer.id]?.count ?? 0 else {
            return
        }
        for (sequence, outcome) in producer.outcomes.sorted(by: { $0.key < $1.key })
        where outcome != .givenUp && known[producer.id, default: []].insert(sequence).inserted {
            acknowledged.append((CommandSender(numbered: name, sequence), now))
        }
    }

    /// What was acknowledged is in the log, and before what was sent later.
    func broken() -> Failure? {
        var greatest: (place: Place, sender: CommandSender)?
        var rest = acknowledged[...]
        for (sender, at) in sent.sorted(by: { ($0.value, $0.key.sequence) < ($1.value, $1.key.sequence) }) {
            while let first = rest.first, first.at < at {
                guard let place = settled[first.sender]?.place else { return lost(first.sender) }
                if greatest.map({ $0.place < place }) ?? true { greatest = (place, first.sender) }
                rest.removeFirst()
            }
            if let place = settled[sender]?.place, let greatest, place < greatest.place {
                return Failure(
                    check: "what was acknowledged comes before what is sent later",
                    detail: "\(sender) precedes \(greatest.sender)")
            }
        }
        return rest.first { settled[$0.sender] == nil }.map { lost($0.sender) }
    }

    private func lost(_ sender: CommandSender) -> Failure {
        Failure(check: "what is acknowledged is in the log", detail: "\(sender)")
    }
}
