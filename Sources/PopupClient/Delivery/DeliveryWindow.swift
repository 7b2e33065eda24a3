import PopupProtocol
@_spi(Wire) import PopupValues

/// The commands of one producer that are sent and not acknowledged yet.
///
///     add ──▶ sent ──▶ acknowledgement: settled, accepted or refused
///              │ ▲
///              │ └── sent again ◀── no acknowledgement in time, the broker came back, or the time that OVERLOAD asked for is over
///              ├──▶ abandoned: the broker had no room for it, and no caller waits any longer
///              └──▶ the broker has lost its memory of the producer: numbered anew under another name, and sent again
///
/// Pure: time and names are arguments; it neither sends nor receives.
struct DeliveryWindow {
    typealias Instant = ContinuousClock.Instant

    /// The maximum number of sequences in flight, from the oldest open one on: as many as an acknowledgement can report
    /// individually.
    static let size: UInt64 = 256
    /// The time after which a broker of the same epoch that denies what it has acknowledged has forgotten it; before that,
    /// the acknowledgement may be an old one.
    static let denialTimeout: Duration = .seconds(2)

    struct Command {
        /// The id of the command for its waiter.
        let id: UInt64
        /// The number of the command within the connection: 1, 2, 3 …, independent of its sequence.
        let ordinal: UInt64
        fileprivate(set) var sequence: UInt64
        /// A binary `Command` without its header.
        let body: [UInt8]
        fileprivate var sent: Instant
        /// The number of times that it was sent under the current name.
        fileprivate var times: Int
        fileprivate var due: Instant
        /// The time from the next sending to the one after it.
        fileprivate var interval: Duration
        /// The refusal `OVERLOAD` that has postponed it.
        fileprivate var overload: Refusal?
        /// Whether it is abandoned: it is not sent any more, and its sequence is never settled.
        fileprivate var isAbandoned = false
    }

    /// The outcome of a command.
    struct Settled: Equatable {
        let id: UInt64
        let sequence: UInt64
        /// The refusal; `nil`: the command is committed.
        let refusal: Refusal?
    }

    /// The producer name of the commands.
    private(set) var producer: ProducerName
    /// The open commands, by sequence.
    private(set) var commands: [Command] = []
    /// The sequence of the next command.
    private(set) var nextSequence: UInt64
    /// The last sequence that was given to a command, sent or not.
    private var lastNumbered: UInt64
    /// The number of commands added so far.
    private(set) var added: UInt64 = 0
    private var roundTrip = RoundTrip()
    /// The newest epoch of an acknowledgement.
    private var epoch: UInt64 = 0
    private var deniedSince: Instant?

    init(producer: ProducerName) {
        self.producer = producer
        nextSequence = 1
        lastNumbered = 0
    }

    /// Creates a window that continues with the contents of an outbox: all sequences below the first open command are
    /// settled, and some from there on may have been sent.
    init(continuing contents: OutboxContents) {
        producer = contents.producer
        nextSequence = contents.commands.first?.sequence ?? contents.next
        lastNumbered = contents.next - 1
    }

    /// The ordinal up to which all commands are settled.
    var settledOrdinal: UInt64 { (commands.first?.ordinal ?? added + 1) - 1 }

    // MARK: Sending

    /// Whether a command may be sent under a sequence while the oldest open one is this.
    static func holds(_ sequence: UInt64, from oldest: UInt64) -> Bool {
        sequence - oldest < size
    }

    /// Adds a command that has been sent. There must be room.
    ///
    /// - Parameter sequence: Its sequence; `nil`: the next one. Skipped sequences are settled.
    mutating func add(_ id: UInt64, _ body: [UInt8], as sequence: UInt64? = nil, at now: Instant) {
        let sequence = sequence ?? nextSequence
        precondition(
            Self.holds(sequence, from: commands.first?.sequence ?? sequence),
            "more commands are in flight than an acknowledgement can cover")
        added += 1
        nextSequence = sequence
        lastNumbered = max(lastNumbered, sequence)
        commands.append(
            Command(
                id: id, ordinal: added, sequence: sequence, body: body, sent: now, times: 1,
                due: now + roundTrip.timeout, interval: RoundTrip.bounded(roundTrip.timeout * 2)))
        nextSequence += 1
    }

    /// The time at which the next command is to be sent again; `nil` if none is in flight.
    var deadline: Instant? { commands.lazy.filter { !$0.isAbandoned }.map(\.due).min() }

    /// Returns the commands to be sent again now, oldest first.
    func due(at now: Instant) -> [Command] {
        commands.filter { $0.due <= now && !$0.isAbandoned }
    }

    /// Records that these commands have been sent again.
    mutating func sentAgain(_ sequences: some Collection<UInt64>, at now: Instant) {
        for index in commands.indices where sequences.contains(commands[index].sequence) {
            let command = commands[index]
            // A postponed command, or one of a lost connection, says nothing about the round trip.
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

    /// Records a reconnection: commands in flight may be lost.
    mutating func reconnected(at now: Instant) {
        roundTrip.restart()
        for index in commands.indices {
            commands[index].due = now
            commands[index].interval = roundTrip.timeout
        }
    }

    // MARK: Acknowledgements

    /// Applies an acknowledgement for this producer.
    ///
    /// - Parameter newName: Returns the name under which the open commands continue if the broker has forgotten what it has
    ///   acknowledged.
    /// - Returns: The commands that it settles, in the order of sending.
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
                postpone(&command, refusal, at: now)
                open.append(command)
            } else if let refusal, refusal.reason != .overload {
                settled.append(
                    Settled(
                        id: command.id, sequence: command.sequence,
                        refusal: Refusal(RefusalReason(wire: refusal.reason), refusal.detail)))
            } else if isCovered {
                settled.append(Settled(id: command.id, sequence: command.sequence, refusal: nil))
            } else {
                open.append(command)
                continue
            }
            // The newest command that was sent once has waited least for others.
            if isCovered, command.times == 1 { sample = now - command.sent }
        }
        commands = open
        if let sample { roundTrip.measure(sample) }
        return settled
    }

    /// Postpones a command, once per sending, so that a repeated acknowledgement does not postpone it forever.
    private func postpone(_ command: inout Command, _ refusal: WireRefusal, at now: Instant) {
        guard command.overload == nil else { return }
        command.overload = Refusal(RefusalReason(wire: refusal.reason), refusal.detail)
        command.due = now + max(.milliseconds(refusal.retryAfterMs), RoundTrip.shortestTimeout)
    }

    // MARK: Abandoned commands

    /// Abandons a command for which the broker had no room.
    ///
    /// - Returns: The refusal; `nil` if the broker may have accepted the command or may still accept it. Then it continues
    ///   to be sent.
    mutating func abandon(_ id: UInt64, at now: Instant) -> Refusal? {
        guard let index = commands.firstIndex(where: { $0.id == id }), let overload = commands[index].overload,
            // The refusal is for the last sending, not a repetition of an earlier one.
            now - commands[index].sent >= roundTrip.timeout
        else { return nil }
        commands[index].isAbandoned = true
        return overload
    }

    /// Continues under a new name if only abandoned commands are open, whose sequences would otherwise stay open forever.
    ///
    /// - Returns: The sequences that were left behind.
    mutating func leaveAbandoned(at now: Instant, newName: () -> ProducerName) -> [UInt64] {
        guard !commands.isEmpty, commands.allSatisfy(\.isAbandoned) else { return [] }
        let sequences = commands.map(\.sequence)
        commands.removeAll()
        startOver(as: newName(), at: now)
        return sequences
    }

    // MARK: The broker's memory

    /// Whether the broker and this producer disagree: the broker denies what it has acknowledged, or knows commands that were
    /// never sent, for example because the outbox was restored from a copy.
    private mutating func isForgotten(in ack: WireAck, at now: Instant) -> Bool {
        if ack.cumulative > lastNumbered { return true }
        if remembers(ack) {
            deniedSince = nil
            return false
        }
        if ack.epoch > epoch { return true }
        deniedSince = deniedSince ?? now
        return deniedSince.map { now - $0 >= Self.denialTimeout } ?? false
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

    /// Records that queued commands have sequences up to this one.
    mutating func number(through sequence: UInt64) {
        lastNumbered = max(lastNumbered, sequence)
    }
}
