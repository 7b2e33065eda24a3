import PopupProtocol
import PopupScheduling

/// The acknowledgements of numbered commands: which command came before, and who is told what, and when.
///
/// A command with a producer and a sequence is looked up before anything else sees it, settled when it is committed and
/// applied, and acknowledged after that.
///
///     look up ──▶ new ────▶ plugins, journal ──▶ settle ──▶ acknowledgement
///        ├──────▶ known ──────────────────────────────────▶ acknowledgement
///        └──────▶ refused (no room, contradicts) ─────────▶ acknowledgement
///
/// What is settled stands in the `ProducerSessions` of the state. What is here ends with the process: who was heard of
/// lately, the numbered commands of the batches that are not applied yet, and the refusals that settle nothing.
struct Acknowledgements: ~Copyable {
    /// What a look-up found.
    enum Lookup {
        /// It was not settled, and does not wait for a commit.
        case new(NumberedCommand)
        /// It was settled before, with this refusal if it was refused then, or waits for a commit.
        case known(SettledRefusal?)
        /// There is no room for it, or another command has its sequence.
        case refused(CommandRefusal)
    }

    private var scheduler: AckScheduler
    // Those of the batch that is gathered, and of the one or two that are closed and not applied.
    private var gathered = NumberedBatch()
    private var oldest = NumberedBatch()
    private var newer = NumberedBatch()
    private var closedBatches: UInt64 = 0
    /// The number of the batch that is gathered.
    private var batch: UInt64 = 1

    /// Repetitions so far.
    private(set) var repetitions: UInt64 = 0
    /// Sequences so far that were used for two commands.
    private(set) var sequencesReused: UInt64 = 0

    /// Nobody is owed an acknowledgement.
    ///
    /// - Parameter capacity: producers that are heard of within ten seconds at most.
    init(capacity: Int, at now: Milliseconds) {
        scheduler = AckScheduler(capacity: capacity, at: now)
    }

    // MARK: - Looking up

    /// Looks up a numbered command; its producer is owed an acknowledgement, whatever comes of it. For a new one, room
    /// is reserved to settle it.
    @inline(__always)
    mutating func lookUp(
        _ sender: CommandSender, digest: UInt64, in producers: inout ProducerSessions, at now: Milliseconds
    ) -> Lookup {
        guard let caller = scheduler.hear(sender.producer, at: now) else {
            scheduler.turnAway(sender)
            return .refused(Self.overload(Self.crowded))
        }
        let command = NumberedCommand(caller: caller, sequence: sender.sequence, digest: digest)
        let place = producers.place(of: sender.producer, hint: scheduler[caller].place)
        scheduler[caller].place = place
        if let place {
            switch producers.standing(at: place, sender.sequence, digest: digest) {
            case .new: break
            case .repeated: return repetition(producers[place].refusal(of: sender.sequence))
            case .contradicting: return .refused(contradiction(command, at: now))
            }
        }
        scheduler.begin(batch: batch, of: caller)
        if let pending = pendingDigest(of: sender.sequence, from: caller) {
            return pending == digest ? repetition(nil) : .refused(contradiction(command, at: now))
        }
        if let refusal = makeRoom(for: command, at: place, in: &producers, at: now) { return .refused(refusal) }
        return .new(command)
    }

    /// The digest of a command that waits for its commit.
    @inline(__always)
    private mutating func pendingDigest(of sequence: UInt64, from caller: AckScheduler.Index) -> UInt64? {
        if sequence <= scheduler[caller].share.highest, let digest = gathered.digest(of: sequence, from: caller) {
            return digest
        }
        let earlier = scheduler[caller].earlier
        guard sequence <= earlier.highest, isClosed(earlier) else { return nil }
        return earlier.batch == batch - closedBatches
            ? oldest.digest(of: sequence, from: caller) : newer.digest(of: sequence, from: caller)
    }

    /// Whether the batch of a share is closed and not applied.
    @inline(__always)
    private func isClosed(_ share: AckScheduler.Share) -> Bool {
        share.batch < batch && share.batch >= batch - closedBatches
    }

    private mutating func repetition(_ refusal: SettledRefusal?) -> Lookup {
        repetitions += 1
        return .known(refusal)
    }

    private mutating func contradiction(_ command: NumberedCommand, at now: Milliseconds) -> CommandRefusal {
        sequencesReused += 1
        return note(.reused(command.sequence), of: command, at: now)
    }

    /// Sees to it that the command can be settled when it is committed. The bound of ranges is looked at here, for the
    /// batch as far as it is known: what is committed is settled.
    @inline(__always)
    private mutating func makeRoom(
        for command: NumberedCommand, at place: ProducerSessions.Index?, in producers: inout ProducerSessions,
        at now: Milliseconds
    ) -> CommandRefusal? {
        let caller = command.caller
        let ranges = place.map { producers[$0].ranges.count } ?? 0
        let isWaiting = isClosed(scheduler[caller].earlier)
        let opened = scheduler[caller].share.opened + (isWaiting ? scheduler[caller].earlier.opened : 0)
        if ranges + opened >= producers.bounds.gaps, opensRange(command, at: place, in: producers) {
            return note(.tooManySequenceGaps, of: command, at: now)
        }
        if let place {
            if producers.hold(place, at: now) { return nil }
        } else if scheduler[caller].share.isReserved || isWaiting && scheduler[caller].earlier.isReserved
            || producers.reserve(at: now)
        {
            scheduler[caller].share.isReserved = true
            return nil
        }
        return note(.tooManyProducers, of: command, at: now)
    }

    private static let crowded = "as many producers as the limit `maxProducers` allows were heard of just now"

    private static func overload(_ detail: String) -> CommandRefusal { CommandRefusal(.overload, detail) }

    private func opensRange(
        _ command: NumberedCommand, at place: ProducerSessions.Index?, in producers: borrowing ProducerSessions
    ) -> Bool {
        let before = command.sequence - 1
        let caller = scheduler[command.caller]
        if before == caller.share.highest || before == caller.earlier.highest && isClosed(caller.earlier) {
            return false
        }
        guard let place else { return command.sequence != 1 }
        return !producers[place].adjoins(command.sequence)
    }

    // MARK: - Batches

    /// Enters a new command among those that are settled at the commit of the gathered batch. Returns its number there.
    @inline(__always)
    mutating func register(_ command: NumberedCommand, in producers: borrowing ProducerSessions) -> NumberedBatch.Index
    {
        let caller = command.caller
        if command.sequence - 1 != scheduler[caller].share.highest {
            if opensRange(command, at: scheduler[caller].place, in: producers) { scheduler[caller].share.opened += 1 }
        }
        scheduler[caller].share.highest = max(scheduler[caller].share.highest, command.sequence)
        return gathered.append(command)
    }

    /// Enters a new command that is refused for good, so that this is committed.
    ///
    /// - Returns: Its number in the batch, and what the journal is to have; `nil` for a command for which there is only
    ///   no room now: it settles nothing.
    mutating func register(
        _ command: NumberedCommand, refusedFor refusal: CommandRefusal, in producers: borrowing ProducerSessions,
        at now: Milliseconds
    ) -> (number: NumberedBatch.Index, entry: RefusalEntry)? {
        guard refusal.reason != .overload else {
            note(refusal, of: command, at: now)
            return nil
        }
        let entry = RefusalEntry(sender(of: command), digest: command.digest, SettledRefusal(refusal))
        return (register(command, in: producers), entry)
    }

    /// Closes the batch that is gathered: it is committed and applied after those that are closed already.
    mutating func closeBatch(in producers: inout ProducerSessions) {
        gathered.reserved = producers.beginBatch()
        if closedBatches == 0 { swap(&gathered, &oldest) } else { swap(&gathered, &newer) }
        closedBatches += 1
        batch += 1
    }

    /// The sequence under which a command of the oldest closed batch came.
    @inline(__always)
    func origin(of number: NumberedBatch.Index) -> BrokerState.Origin {
        let command = oldest[number]
        return BrokerState.Origin(
            sender: sender(of: command), digest: command.digest, place: scheduler[command.caller].place)
    }

    /// Owes an acknowledgement for a command of the oldest closed batch: it is settled, or refused for want of room.
    @inline(__always)
    mutating func settle(_ outcome: BrokerState.Outcome, of number: NumberedBatch.Index, at now: Milliseconds) {
        let command = oldest[number]
        if let refusal = outcome.refusal, refusal.reason == .overload {
            note(CommandRefusal(.overload, refusal.description), of: command, at: now)
        } else {
            scheduler.owe(command.caller)
            scheduler[command.caller].place = outcome.place
        }
    }

    /// Tells the producers of the oldest closed batch that it could not be committed: nothing of it is settled.
    mutating func refuseOldestBatch(_ refusal: CommandRefusal, at now: Milliseconds) {
        for command in oldest.commands { note(refusal, of: command, at: now) }
    }

    /// Ends the oldest closed batch: it is applied, or refused.
    mutating func endOldestBatch(in producers: inout ProducerSessions) {
        producers.endBatch(reserved: oldest.reserved)
        oldest.end()
        if closedBatches > 1 { swap(&oldest, &newer) }
        closedBatches -= 1
    }

    private func sender(of command: NumberedCommand) -> CommandSender {
        CommandSender(numbered: scheduler[command.caller].producer, command.sequence)
    }

    /// Notes a refusal that settles nothing, for the next acknowledgements.
    @discardableResult
    private mutating func note(
        _ refusal: CommandRefusal, of command: NumberedCommand, at now: Milliseconds
    ) -> CommandRefusal {
        let isOverload = refusal.reason == .overload
        scheduler.owe(command.caller)
        scheduler.note(
            AckScheduler.PassingRefusal(
                sequence: command.sequence, reason: refusal.reason,
                retryAfter: isOverload ? refusal.retryAfter ?? AckScheduler.retryAfter : 0,
                detail: SettledRefusal.shortened(refusal.detail), notedAt: now),
            of: command.caller)
        return refusal
    }

    // MARK: - Giving

    /// Whether somebody is owed an acknowledgement.
    var isOwing: Bool { scheduler.isOwing }

    /// When somebody may be owed a repetition; `nil` when nobody was heard of lately.
    var nextDue: Milliseconds? { scheduler.nextDue }

    /// The acknowledgement that is to be given next; it is owed no longer.
    mutating func takeOwed(in producers: borrowing ProducerSessions, at now: Milliseconds) -> Acknowledgement? {
        if let sender = scheduler.takeTurnedAway() {
            let refusal = AckScheduler.PassingRefusal(
                sequence: sender.sequence, reason: .overload, retryAfter: AckScheduler.retryAfter, detail: Self.crowded,
                notedAt: now)
            return Acknowledgement(producer: sender.producer, passing: [refusal])
        }
        guard let caller = scheduler.takeOwed() else { return nil }
        let producer = scheduler[caller].producer
        let place = producers.place(of: producer, hint: scheduler[caller].place)
        if !scheduler[caller].passing.isEmpty { forgetPassing(of: caller, at: place, in: producers, at: now) }
        return Acknowledgement(producer: producer, place: place, passing: scheduler[caller].passing)
    }

    /// The acknowledgement for whoever has just subscribed to those of a producer; `nil` when there is none, or when it
    /// comes with those that are owed: for a producer that was heard of lately it is owed then.
    mutating func forSubscriber(of producer: ProducerName, in producers: borrowing ProducerSessions) -> Acknowledgement?
    {
        guard !scheduler.owe(producer), let place = producers.place(of: producer) else { return nil }
        return Acknowledgement(producer: producer, place: place)
    }

    /// Forgets what is owed: nobody would receive it.
    mutating func forgetOwed() { scheduler.forgetOwed() }

    /// Owes their repetition to those whose slot has come, and forgets those that are silent.
    mutating func repeatDue(at now: Milliseconds) {
        scheduler.repeatDue(at: now, pending: batch - closedBatches)
    }

    /// What was settled since, and what was long ago, is told no more.
    private mutating func forgetPassing(
        of caller: AckScheduler.Index, at place: ProducerSessions.Index?, in producers: borrowing ProducerSessions,
        at now: Milliseconds
    ) {
        var passing = scheduler[caller].passing
        passing.removeAll { refusal in
            if now - refusal.notedAt > AckScheduler.activity { return true }
            guard refusal.reason == .overload, let place else { return false }
            return producers[place].isSettled(refusal.sequence)
        }
        scheduler[caller].passing = passing
    }
}

extension ProducerSessions.Bounds {
    /// Those of a broker.
    init(_ limits: BrokerLimits) {
        self.init(
            producers: limits.maxProducers, gaps: limits.maxSequenceGaps, deduplicationWindow: limits.producerWindow)
    }
}
