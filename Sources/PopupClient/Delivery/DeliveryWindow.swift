import PopupProtocol

/// The commands of one producer that have been sent and are not acknowledged yet.
///
///     add ──▶ sent ──▶ acknowledgement: settled, accepted or refused
///              │ ▲
///              │ └── sent again ◀── no acknowledgement in time, the broker came back, or the time that OVERLOAD asked for is over
///              ├──▶ abandoned: the broker had no room for it, and nobody waits any longer
///              └──▶ the broker has lost its memory of the producer: numbered anew under another name, and sent again
///
/// Pure: time and names are arguments, frames and acknowledgements are somebody else's.
struct DeliveryWindow {
    typealias Instant = ContinuousClock.Instant

    /// Sequences from the oldest open one on that may be under way: as many as an acknowledgement tells one by one.
    static let size: UInt64 = 256
    /// A broker of the same epoch that keeps denying what it has acknowledged has forgotten it; before that, the
    /// acknowledgement may only be an old one.
    static let patience: Duration = .seconds(2)

    struct Command {
        /// Names the command to who wants to know what became of it.
        let id: UInt64
        /// 1, 2, 3 … within the connection, whatever its sequence.
        let ordinal: UInt64
        fileprivate(set) var sequence: UInt64
        /// A binary `Command` without its header.
        let body: [UInt8]
        fileprivate var sent: Instant
        /// 0: not yet under this name.
        fileprivate var times: Int
        fileprivate var due: Instant
        /// From the next sending to the one after it.
        fileprivate var interval: Duration
        /// Why it was put off since it was sent: OVERLOAD.
        fileprivate var overload: CommandRefusal?
        /// It is not sent any more, and keeps its sequence from being settled.
        fileprivate var isAbandoned = false
    }

    /// What became of a command.
    struct Settled: Equatable {
        let id: UInt64
        let sequence: UInt64
        /// Nil: it is committed.
        let refusal: CommandRefusal?
    }

    /// Whom acknowledgements are asked for.
    private(set) var producer: ProducerName
    /// The open ones, by sequence.
    private(set) var commands: [Command] = []
    /// The sequence of the next command.
    private(set) var nextSequence: UInt64
    /// The last sequence that has been given to a command, be it sent or not.
    private var lastNumbered: UInt64
    /// How many commands have been added.
    private(set) var added: UInt64 = 0
    private var roundTrip = RoundTrip()
    /// The newest that an acknowledgement has told.
    private var epoch: UInt64 = 0
    private var deniedSince: Instant?

    init(producer: ProducerName) {
        self.producer = producer
        nextSequence = 1
        lastNumbered = 0
    }

    /// Goes on with what was begun before: all sequences below that of the first open command are settled, and of those
    /// from it on some may have been sent.
    init(goingOnWith contents: OutboxContents) {
        producer = contents.producer
        nextSequence = contents.commands.first?.sequence ?? contents.next
        lastNumbered = contents.next - 1
    }

    /// All commands up to this ordinal are settled.
    var settledOrdinal: UInt64 { (commands.first?.ordinal ?? added + 1) - 1 }

    // MARK: Sending

    /// Whether a command may be sent under a sequence while the oldest open one is this.
    static func holds(_ sequence: UInt64, from oldest: UInt64) -> Bool {
        sequence - oldest < size
    }

    /// A command has been sent. There has to be room.
    ///
    /// - Parameter sequence: nil: the next one. Those that it leaves out are settled.
    mutating func add(_ id: UInt64, _ body: [UInt8], as sequence: UInt64? = nil, at now: Instant) {
        let sequence = sequence ?? nextSequence
        precondition(
            Self.holds(sequence, from: commands.first?.sequence ?? sequence),
            "more commands under way than an acknowledgement can tell")
        added += 1
        nextSequence = sequence
        lastNumbered = max(lastNumbered, sequence)
        commands.append(
            Command(
                id: id, ordinal: added, sequence: sequence, body: body, sent: now, times: 1,
                due: now + roundTrip.timeout, interval: RoundTrip.bounded(roundTrip.timeout * 2)))
        nextSequence += 1
    }

    /// When the next command is to be sent again; nil: none is under way.
    var deadline: Instant? { commands.lazy.filter { !$0.isAbandoned }.map(\.due).min() }

    /// The commands that are to be sent again now, oldest first.
    func due(at now: Instant) -> [Command] {
        commands.filter { $0.due <= now && !$0.isAbandoned }
    }

    /// These have been sent again.
    mutating func sentAgain(_ sequences: some Collection<UInt64>, at now: Instant) {
        for index in commands.indices where sequences.contains(commands[index].sequence) {
            let command = commands[index]
            // Put off or cut off is not lost: it says nothing about the round trip.
            if command.times > 0, command.overload == nil, now - command.sent >= roundTrip.timeout {
                roundTrip.backOff(from: roundTrip.timeout)
            }
            commands[index].times += 1
            commands[index].sent = now
            commands[index].due = now + command.interval
            commands[index].interval = RoundTrip.bounded(command.interval * 2)
            commands[index].overload = nil
        }
    }

    /// The broker is there again: what was under way may be lost.
    mutating func reconnected(at now: Instant) {
        roundTrip.restart()
        for index in commands.indices {
            commands[index].due = now
            commands[index].interval = roundTrip.timeout
        }
    }

    // MARK: Acknowledgements

    /// An acknowledgement for this producer has come in.
    ///
    /// - Parameter newName: draws the name under which the open commands go on when the broker does not know any more
    ///   what it has acknowledged.
    /// - Returns: what it settles, in the order of sending.
    mutating func receive(_ ack: WireAck, at now: Instant, newName: () -> ProducerName) -> [Settled] {
        guard ack.epoch >= epoch else { return [] }
        let isForgotten = isForgotten(in: ack, at: now)
        epoch = ack.epoch
        let settled = settle(by: ack, at: now)
        if isForgotten { startOver(as: newName(), at: now) }
        return settled
    }

    private mutating func settle(by ack: WireAck, at now: Instant) -> [Settled] {
        let refusals = Dictionary(ack.refusals.map { ($0.sequence, $0) }) { $1 }
        var settled: [Settled] = []
        var open: [Command] = []
        var sample: Duration?
        for var command in commands {
            let refusal = refusals[command.sequence]
            let isCovered = ack.covers(command.sequence)
            if let refusal, refusal.reason == .overload, !isCovered {
                putOff(&command, refusal, at: now)
                open.append(command)
            } else if let refusal, refusal.reason != .overload {
                settled.append(
                    Settled(
                        id: command.id, sequence: command.sequence,
                        refusal: CommandRefusal(refusal.reason, refusal.detail)))
            } else if isCovered {
                settled.append(Settled(id: command.id, sequence: command.sequence, refusal: nil))
            } else {
                open.append(command)
                continue
            }
            // The newest one that was sent once is the one that waited least for others.
            if isCovered, command.times == 1 { sample = now - command.sent }
        }
        commands = open
        if let sample { roundTrip.measure(sample) }
        return settled
    }

    /// Once a sending: an acknowledgement that is repeated must not put a command off for ever.
    private func putOff(_ command: inout Command, _ refusal: WireRefusal, at now: Instant) {
        guard command.overload == nil else { return }
        command.overload = CommandRefusal(refusal.reason, refusal.detail)
        command.due = now + max(.milliseconds(refusal.retryAfterMs), RoundTrip.shortestTimeout)
    }

    // MARK: Giving up

    /// Gives a command up that the broker had no room for.
    ///
    /// - Returns: the refusal; nil when the broker may have taken it, or still take it: then it is sent on.
    mutating func abandon(_ id: UInt64, at now: Instant) -> CommandRefusal? {
        guard let index = commands.firstIndex(where: { $0.id == id }), let overload = commands[index].overload,
            // The refusal is of the last sending, and no repetition of an earlier one.
            now - commands[index].sent >= roundTrip.timeout
        else { return nil }
        commands[index].isAbandoned = true
        return overload
    }

    /// The sequence of an abandoned command stays open for ever. When there are no other open ones, a new name leaves
    /// it behind.
    ///
    /// - Returns: the sequences that were left behind.
    mutating func leaveAbandoned(at now: Instant, newName: () -> ProducerName) -> [UInt64] {
        guard !commands.isEmpty, commands.allSatisfy(\.isAbandoned) else { return [] }
        let sequences = commands.map(\.sequence)
        commands.removeAll()
        startOver(as: newName(), at: now)
        return sequences
    }

    // MARK: The broker's memory

    /// Whether the broker has lost its memory of this producer: it denies what it has acknowledged, or knows what was
    /// never sent, as when this side was restored from a copy.
    private mutating func isForgotten(in ack: WireAck, at now: Instant) -> Bool {
        if ack.cumulative > lastNumbered { return true }
        if remembers(ack) {
            deniedSince = nil
            return false
        }
        if ack.epoch > epoch { return true }
        deniedSince = deniedSince ?? now
        return deniedSince.map { now - $0 >= Self.patience } ?? false
    }

    private func remembers(_ ack: WireAck) -> Bool {
        let oldest = commands.first?.sequence ?? nextSequence
        guard ack.cumulative + 1 >= oldest else { return false }
        // Above the oldest open one are those that have been acknowledged one by one.
        var open = 0
        for sequence in oldest..<nextSequence {
            if open < commands.count, commands[open].sequence == sequence {
                open += 1
            } else if !ack.covers(sequence) {
                return false
            }
        }
        return true
    }

    private mutating func startOver(as name: ProducerName, at now: Instant) {
        producer = name
        deniedSince = nil
        nextSequence = 1
        for index in commands.indices {
            commands[index].sequence = nextSequence
            commands[index].times = 0
            commands[index].due = now
            commands[index].interval = roundTrip.timeout
            commands[index].overload = nil
            nextSequence += 1
        }
        lastNumbered = nextSequence - 1
    }

    /// Sequences up to it have been given to commands that wait to be sent.
    mutating func number(through sequence: UInt64) {
        lastNumbered = max(lastNumbered, sequence)
    }
}
