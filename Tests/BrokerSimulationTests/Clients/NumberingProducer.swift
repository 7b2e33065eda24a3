import Foundation
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A producer that numbers its commands and sends each again until an acknowledgement has told what became of it.
final class NumberingProducer: SimulatedSender {
    enum Outcome: Equatable {
        case accepted
        case refused(WireRefused.Reason)
        /// There was no room for it, again and again.
        case givenUp
    }

    private struct Open {
        var command: WireCommand
        var due: Milliseconds
        var pause: Milliseconds
        var overloads = 0
        /// It was put off since it was sent last: an acknowledgement that is repeated doesn't count again.
        var isPutOff = false
    }

    /// In ms, from the first sending to the second, and at most from one to the next.
    private let pauses: ClosedRange<Milliseconds>
    /// After so many refusals for want of room it gives up.
    private static let maxOverloads = 5

    let name: String
    private let handwriting: Handwriting
    private let window: UInt64
    private let number: Int
    private let isOfFleet: Bool
    private var runs = 0
    private var sequence: UInt64 = 0
    private var waiting: [WireCommand] = []
    private var open: [UInt64: Open] = [:]
    private var epoch: UInt64 = 0
    /// What became of those of this run.
    private(set) var outcomes: [UInt64: Outcome] = [:]
    private var shown: [UInt64: String] = [:]

    /// - Parameters:
    ///   - number: Tells it from the other producers.
    ///   - window: So many sequences are under way at most.
    ///   - firstPause: In ms, from the first sending to the second.
    ///   - isOfFleet: Sends all that is open again when another owner speaks, as the client library does.
    init(
        name: String, number: Int, handwriting: Handwriting, window: Int, firstPause: Milliseconds,
        isOfFleet: Bool = false
    ) {
        pauses = firstPause...5000
        self.name = name
        self.number = number
        self.isOfFleet = isOfFleet
        self.handwriting = handwriting
        self.window = UInt64(window)
    }

    /// Its id in this run.
    var id: String {
        let run = ["a1", "b2", "c3", "d4", "e5", "f6"][(number + 2 * runs) % 6]
        return String(repeating: run, count: 15) + (runs < 3 ? run : "\(runs % 10)\(number)")
    }

    var prefixes: [String] { [(handwriting == .json ? Channel.acksJSON : .acks).prefix + "\(id)/"] }

    var unsettled: [String] {
        open.keys.sorted().map { "\(name) \($0)" } + waiting.map { _ in "\(name) unsent" }
    }

    /// The popups that it knows to be accepted, by their sequences.
    var accepted: [UInt64: String] { shown.filter { outcomes[$0.key] == .accepted } }

    func send(_ commands: [WireCommand], at now: Milliseconds, _ hand: inout Hand) {
        waiting += commands
        fill(at: now, &hand)
    }

    /// Sends another command under a sequence that is settled. Returns the sequence.
    func contradict(at now: Milliseconds, _ hand: inout Hand) -> UInt64? {
        guard let sequence = outcomes.keys.filter({ outcomes[$0] != .givenUp }).max() else { return nil }
        let command = WireCommand.with {
            $0.producer = id
            $0.sequence = sequence
            $0.show.id = "another-\(sequence)"
            $0.show.group = "g"
        }
        hand.send(handwriting.frames([command]))
        return sequence
    }

    /// The program is started again: it takes another id, and sends what is open under that.
    func startAgain(at now: Milliseconds, _ hand: inout Hand) {
        runs += 1
        waiting = open.sorted { $0.key < $1.key }.map(\.value.command) + waiting
        open.removeAll()
        outcomes.removeAll()
        shown.removeAll()
        sequence = 0
        fill(at: now, &hand)
    }

    /// Sends what the window has room for.
    private func fill(at now: Milliseconds, _ hand: inout Hand) {
        var commands: [WireCommand] = []
        while !waiting.isEmpty, sequence + 1 - (open.keys.min() ?? sequence + 1) < window {
            sequence += 1
            var command = waiting.removeFirst()
            command.producer = id
            command.sequence = sequence
            let pause = pauses.lowerBound
            open[sequence] = Open(command: command, due: now + pause, pause: pause)
            if case .show(let popup) = command.command, !popup.id.isEmpty { shown[sequence] = popup.id }
            commands.append(command)
        }
        guard !commands.isEmpty else { return }
        hand.send(handwriting.frames(commands))
        hand.wake(at: now + pauses.lowerBound)
    }

    func connected(at now: Milliseconds, _ hand: inout Hand) {
        for sequence in open.keys {
            open[sequence]?.due = now
            open[sequence]?.pause = pauses.lowerBound
        }
        if !open.isEmpty { hand.wake(at: now) }
    }

    func wake(at now: Milliseconds, _ hand: inout Hand) {
        for (sequence, var command) in open.sorted(by: { $0.key < $1.key }) where command.due <= now {
            hand.send(handwriting.frames([command.command]))
            command.pause = min(command.pause * 2, pauses.upperBound)
            command.due = now + command.pause
            command.isPutOff = false
            open[sequence] = command
            hand.wake(at: command.due)
        }
    }

    // MARK: - Acknowledgements

    func receive(_ topic: String, _ body: [UInt8], at now: Milliseconds, _ hand: inout Hand) {
        guard prefixes.contains(topic) else { return }
        let encoding: WireEncoding = handwriting == .json ? .json : .binary
        guard let ack: WireAck = try? encoding.decode(body), ack.epoch >= epoch else { return }
        let isNextOwner = isOfFleet && epoch > 0 && ack.epoch > epoch
        epoch = ack.epoch
        let refusals = Dictionary(ack.refusals.map { ($0.sequence, $0) }) { $1 }
        for sequence in open.keys.sorted() {
            let isSettled = ack.settles(sequence)
            switch refusals[sequence] {
            case let refusal? where refusal.reason == .overload && !isSettled:
                putOff(sequence, for: Milliseconds(refusal.retryAfterMs), at: now, &hand)
            case let refusal? where refusal.reason != .overload: settle(sequence, .refused(refusal.reason))
            default: if isSettled { settle(sequence, .accepted) }
            }
        }
        if isNextOwner { connected(at: now, &hand) }
        fill(at: now, &hand)
    }

    private func settle(_ sequence: UInt64, _ outcome: Outcome) {
        open[sequence] = nil
        outcomes[sequence] = outcome
    }

    private func putOff(_ sequence: UInt64, for pause: Milliseconds, at now: Milliseconds, _ hand: inout Hand) {
        guard var command = open[sequence], !command.isPutOff else { return }
        command.isPutOff = true
        command.overloads += 1
        command.due = now + pause
        open[sequence] = command
        hand.wake(at: command.due)
        if command.overloads >= Self.maxOverloads { settle(sequence, .givenUp) }
    }
}

extension WireAck {
    /// Whether it says that a sequence is settled.
    func settles(_ sequence: UInt64) -> Bool {
        if sequence <= cumulative { return true }
        let bit = Int(sequence - cumulative) - 2
        guard bit >= 0, bit < selective.count * 8 else { return false }
        return selective[selective.startIndex + bit / 8] & 1 << UInt8(bit % 8) != 0
    }

    /// All that it says to be settled above `cumulative`.
    var selected: [UInt64] {
        (0..<selective.count * 8).map { cumulative + 2 + UInt64($0) }.filter(settles)
    }
}
