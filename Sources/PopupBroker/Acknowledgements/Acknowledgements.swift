import PopupProtocol
import PopupScheduling

/// The acknowledgements of numbered commands: whether a command is a repetition, and when which producer receives an
/// acknowledgement.
///
/// A command with a producer and a sequence is looked up before all other checks. It is settled when it is committed
/// and applied, and acknowledged after that.
///
///     look up ──▶ new ────▶ plugins, journal ──▶ settle ──▶ acknowledgement
///        ├──────▶ known ──────────────────────────────────▶ acknowledgement
///        └──────▶ refused (no space, contradicts) ────────▶ acknowledgement
///
/// Settled sequences are in the `ProducerSessions` of the state. This type contains what does not outlive the process:
/// the producers that were active lately, the numbered commands of the batches that are not applied yet, and the
/// temporary refusals.
struct Acknowledgements: ~Copyable {
    /// The result of a look-up.
    enum Lookup {
        /// The sequence is neither settled nor in a pending batch.
        case new(NumberedCommand)
        /// The sequence is settled, with this refusal if there was one, or in a pending batch.
        case known(SettledRefusal?)
        /// There is no space for the command, or another command has the sequence.
        case refused(CommandRefusal)
    }

    private var scheduler: AckScheduler
    // The commands of the gathered batch, and of the one or two batches that are closed and not applied.
    private var gathered = NumberedBatch()
    private var oldest = NumberedBatch()
    private var newer = NumberedBatch()
    private var closedBatches: UInt64 = 0
    /// The number of the gathered batch.
    private var batch: UInt64 = 1

    /// The number of repetitions so far.
    private(set) var repetitions: UInt64 = 0
    /// The number of sequences so far that were used for two commands.
    private(set) var sequencesReused: UInt64 = 0

    /// Creates an empty state for producer sessions with these bounds.
    init(_ bounds: ProducerSessions.Bounds, at now: Milliseconds) {
        let silence = min(ProducerSessions.briefSilence, bounds.deduplicationWindow)
        scheduler = AckScheduler(capacity: bounds.producers, silence: silence, at: now)
    }

    // MARK: - Look-up

    /// Looks up a numbered command. An acknowledgement to its producer is pending then. For a new command, space is
    /// reserved to settle it. Returns `nil` if the producer was not active lately: `begin` has to come first.
    @inline(__always)
    mutating func lookUp(
        _ sender: CommandSender, digest: UInt64, in state: inout BrokerState, at now: Milliseconds
    ) -> Lookup? {
        guard let caller = scheduler.recordActivity(of: sender.producer, at: now) else { return nil }
        let command = NumberedCommand(caller: caller, sequence: sender.sequence, digest: digest)
        let session = state.producers.index(of: sender.producer, hint: scheduler[caller].session)
        scheduler[caller].session = session
        if let session {
            switch state.producers.status(at: session, sender.sequence, digest: digest) {
            case .new: break
            case .repeated: return repetition(state.producers[session].refusal(of: sender.sequence))
            case .contradicting: return .refused(contradiction(command, at: now))
            }
        }
        scheduler.begin(batch: batch, of: caller)
        if let pending = pendingDigest(of: sender.sequence, from: caller) {
            return pending == digest ? repetition(nil) : .refused(contradiction(command, at: now))
        }
        if let refusal = makeRoom(for: command, of: session, in: &state, at: now) { return .refused(refusal) }
        return .new(command)
    }

    /// Begins the activity of a command's producer that was not active lately. Returns the refusal if there is no place
    /// for it.
    ///
    /// - Parameter connection: Who sent the command; `nil` if that is not known.
    mutating func begin(
        _ sender: CommandSender, from connection: ActiveProducers.Sender?, at now: Milliseconds
    ) -> CommandRefusal? {
        guard let refusal = scheduler.add(sender.producer, from: connection, at: now) else { return nil }
        scheduler.reject(sender, for: refusal)
        return CommandRefusal(.overload, refusal.detail)
    }

    /// Returns the digest of a command in a pending batch.
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
        return record(.reused(command.sequence), of: command, at: now)
    }

    /// Reserves the space for settling the command when it is committed. The limit of ranges is checked here, with the
    /// part of the batch that is known, since a committed command is always settled.
    @inline(__always)
    private mutating func makeRoom(
        for command: NumberedCommand, of session: ProducerSessions.Index?, in state: inout BrokerState,
        at now: Milliseconds
    ) -> CommandRefusal? {
        let caller = command.caller
        let ranges = session.map { state.producers[$0].ranges.count } ?? 0
        let isWaiting = isClosed(scheduler[caller].earlier)
        let opened = scheduler[caller].share.opened + (isWaiting ? scheduler[caller].earlier.opened : 0)
        if ranges + opened >= state.producers.memory.maxRanges, opensRange(command, of: session, in: state.producers) {
            return record(.tooManySequenceGaps, of: command, at: now)
        }
        if let session {
            if state.hold(session, at: now) { return nil }
        } else if scheduler[caller].share.isReserved || isWaiting && scheduler[caller].earlier.isReserved
            || state.reserveProducer(at: now)
        {
            scheduler[caller].share.isReserved = true
            return nil
        }
        return record(.tooManyProducers, of: command, at: now)
    }

    private static let noRoomForRefusal =
        "it is refused, and there is no room to remember that: the producer's gaps and refusals need more than its share"

    private func opensRange(
        _ command: NumberedCommand, of session: ProducerSessions.Index?, in producers: borrowing ProducerSessions
    ) -> Bool {
        let before = command.sequence - 1
        let caller = scheduler[command.caller]
        if before == caller.share.highest || before == caller.earlier.highest && isClosed(caller.earlier) {
            return false
        }
        guard let session else { return command.sequence != 1 }
        return !producers[session].adjoins(command.sequence)
    }

    // MARK: - Batches

    /// Adds a new command to those that are settled when the gathered batch is committed. Returns its index there.
    @inline(__always)
    mutating func register(_ command: NumberedCommand, in producers: borrowing ProducerSessions) -> NumberedBatch.Index
    {
        let caller = command.caller
        if command.sequence - 1 != scheduler[caller].share.highest {
            if opensRange(command, of: scheduler[caller].session, in: producers) { scheduler[caller].share.opened += 1 }
        }
        scheduler[caller].share.highest = max(scheduler[caller].share.highest, command.sequence)
        return gathered.append(command)
    }

    /// Adds a new command with a permanent refusal, which is committed.
    ///
    /// - Returns: The index in the batch and the entry for the journal; `nil` for a refusal with `OVERLOAD`, which
    ///   settles nothing.
    mutating func register(
        _ command: NumberedCommand, refusedFor refusal: CommandRefusal, in producers: borrowing ProducerSessions,
        at now: Milliseconds
    ) -> (number: NumberedBatch.Index, entry: RefusalEntry)? {
        guard refusal.reason != .overload else {
            record(refusal, of: command, at: now)
            return nil
        }
        let entry = RefusalEntry(sender(of: command), digest: command.digest, SettledRefusal(refusal))
        return (register(command, in: producers), entry)
    }

    /// Closes the gathered batch. It is committed and applied after those that are already closed.
    mutating func closeBatch(in state: inout BrokerState) {
        gathered.reserved = state.closeReservations()
        if closedBatches == 0 { swap(&gathered, &oldest) } else { swap(&gathered, &newer) }
        closedBatches += 1
        batch += 1
    }

    /// Returns the producer and the sequence of a command of the oldest closed batch.
    @inline(__always)
    func origin(of number: NumberedBatch.Index) -> BrokerState.Origin {
        let command = oldest[number]
        return BrokerState.Origin(
            sender: sender(of: command), digest: command.digest, session: scheduler[command.caller].session)
    }

    /// Makes the acknowledgement of a command of the oldest closed batch pending: it is settled, or refused
    /// temporarily.
    @inline(__always)
    mutating func settle(_ outcome: BrokerState.Outcome, of number: NumberedBatch.Index, at now: Milliseconds) {
        let command = oldest[number]
        guard let session = outcome.session else { return postpone(command, outcome.refusal, at: now) }
        scheduler.requestAck(of: command.caller)
        scheduler[command.caller].session = session
    }

    /// Refuses a command temporarily that was not settled: there was no space for its effect, or for its refusal.
    private mutating func postpone(
        _ command: NumberedCommand, _ refusal: PopupScheduling.Refusal?, at now: Milliseconds
    ) {
        let overload = refusal.flatMap { $0.reason == .overload ? $0.detail : nil }
        record(CommandRefusal(.overload, overload ?? Self.noRoomForRefusal), of: command, at: now)
    }

    /// Refuses the commands of the oldest closed batch, which could not be committed. None of them is settled.
    mutating func refuseOldestBatch(_ refusal: CommandRefusal, at now: Milliseconds) {
        for command in oldest.commands { record(refusal, of: command, at: now) }
    }

    /// Ends the oldest closed batch, which is applied or refused.
    mutating func endOldestBatch(in state: inout BrokerState) {
        state.endReservations(oldest.reserved)
        oldest.end()
        if closedBatches > 1 { swap(&oldest, &newer) }
        closedBatches -= 1
    }

    private func sender(of command: NumberedCommand) -> CommandSender {
        CommandSender(numbered: scheduler[command.caller].producer, command.sequence)
    }

    /// Records a temporary refusal for the next acknowledgements.
    @discardableResult
    private mutating func record(
        _ refusal: CommandRefusal, of command: NumberedCommand, at now: Milliseconds
    ) -> CommandRefusal {
        let isOverload = refusal.reason == .overload
        scheduler.requestAck(of: command.caller)
        scheduler.add(
            AckScheduler.PassingRefusal(
                sequence: command.sequence, reason: refusal.reason,
                retryAfter: isOverload ? refusal.retryAfter ?? AckScheduler.retryAfter : 0,
                detail: SettledRefusal.shortened(refusal.detail), notedAt: now),
            of: command.caller)
        return refusal
    }

    // MARK: - Pending acknowledgements

    /// Whether any acknowledgement is pending.
    var hasPending: Bool { scheduler.hasPending }

    /// The time at which the next repetition may be due; `nil` if no producer was active lately.
    var nextDue: Milliseconds? { scheduler.nextDue }

    /// Removes and returns the next pending acknowledgement.
    mutating func takePending(in producers: borrowing ProducerSessions, at now: Milliseconds) -> Acknowledgement? {
        if let rejected = scheduler.takeRejected() {
            let sender = rejected.sender
            let refusal = AckScheduler.PassingRefusal(
                sequence: sender.sequence, reason: .overload, retryAfter: AckScheduler.retryAfter,
                detail: rejected.refusal.detail, notedAt: now)
            // What is settled stays acknowledged: otherwise the producer would be told that it is forgotten.
            let session = producers.index(of: sender.producer)
            let isSettled = session.map { producers[$0].isSettled(sender.sequence) } ?? false
            return Acknowledgement(
                producer: sender.producer, session: session, passing: isSettled ? [] : [refusal])
        }
        guard let caller = scheduler.takePending() else { return nil }
        let producer = scheduler[caller].producer
        let session = producers.index(of: producer, hint: scheduler[caller].session)
        if !scheduler[caller].passing.isEmpty { forgetPassing(of: caller, of: session, in: producers, at: now) }
        return Acknowledgement(producer: producer, session: session, passing: scheduler[caller].passing)
    }

    /// Returns the acknowledgement for a new subscriber to those of a producer; `nil` if the producer is unknown, or
    /// was active lately: then its acknowledgement is pending.
    mutating func forSubscriber(of producer: ProducerName, in producers: borrowing ProducerSessions) -> Acknowledgement?
    {
        guard !scheduler.requestAck(of: producer), let session = producers.index(of: producer) else { return nil }
        return Acknowledgement(producer: producer, session: session)
    }

    /// Removes all pending acknowledgements, since they have no receivers.
    mutating func forgetPending() { scheduler.forgetPending() }

    /// Makes the repetitions pending whose slot has come, and removes inactive producers.
    mutating func repeatDue(at now: Milliseconds) {
        scheduler.repeatDue(at: now, uncompleted: batch - closedBatches)
    }

    /// Removes temporary refusals that are old, or whose sequence has been settled since.
    private mutating func forgetPassing(
        of caller: AckScheduler.Index, of session: ProducerSessions.Index?, in producers: borrowing ProducerSessions,
        at now: Milliseconds
    ) {
        scheduler.removePassing(of: caller) { refusal in
            if now - refusal.notedAt > AckScheduler.activity { return true }
            guard refusal.reason == .overload, let session else { return false }
            return producers[session].isSettled(refusal.sequence)
        }
    }
}

extension ProducerSessions.Bounds {
    /// Creates the bounds of a broker.
    init(_ limits: BrokerLimits) {
        self.init(
            producers: limits.maxProducers, gaps: limits.maxSequenceGaps, deduplicationWindow: limits.producerWindow)
    }
}
