import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Acknowledgements: a command with a producer and a sequence is looked up before anything else sees it, settled when it
// is committed, and acknowledged after that.
//
//     take ──▶ new ────▶ plugins, journal ──▶ settle ──▶ acknowledgement
//      ├─────▶ known ───────────────────────────────────▶ acknowledgement
//      └─────▶ refused (no room, contradicts) ──────────▶ acknowledgement
extension BrokerCore {
    /// How a numbered command is to be gone on with.
    enum Deduplication {
        /// It is none that was settled, or waits for this commit.
        case new(NumberedCommand)
        /// It was settled before, with this refusal if it was refused then, or waits for this commit.
        case known(SettledRefusal?)
        /// There is no room for it, or another command has its sequence.
        case refused(CommandRefusal)
    }

    /// Looks up a numbered command; its producer is owed an acknowledgement, whatever comes of it.
    @inline(__always)
    mutating func take(_ sender: CommandSender, digest: UInt64) -> Deduplication {
        guard let caller = ackScheduler.hear(sender.producer, at: now) else {
            ackScheduler.turnAway(sender)
            return .refused(Self.overload(Self.crowded))
        }
        let command = NumberedCommand(caller: caller, sequence: sender.sequence, digest: digest)
        let place = state.producers.place(of: sender.producer, hint: ackScheduler[caller].place)
        ackScheduler[caller].place = place ?? -1
        if let place {
            switch state.producers.standing(at: place, sender.sequence, digest: digest) {
            case .new: break
            case .repeated: return takeRepetition(state.producers[place].refusal(of: sender.sequence))
            case .contradicting: return .refused(contradiction(command))
            }
        }
        ackScheduler.begin(batch: batch.number, of: caller)
        if let pending = pendingDigest(of: sender.sequence, from: caller) {
            return pending == digest ? takeRepetition(nil) : .refused(contradiction(command))
        }
        if let refusal = makeRoom(for: command, at: place) { return .refused(refusal) }
        return .new(command)
    }

    /// The digest of a command that waits for its commit.
    @inline(__always)
    private mutating func pendingDigest(of sequence: UInt64, from caller: Int32) -> UInt64? {
        if sequence <= ackScheduler[caller].share.highest,
            let digest = batch.numbered.digest(of: sequence, from: caller)
        {
            return digest
        }
        guard sequence <= ackScheduler[caller].earlier.highest, isInFlight(ackScheduler[caller].earlier) else {
            return nil
        }
        if completed?.batch.number == ackScheduler[caller].earlier.batch {
            return completed?.batch.numbered.digest(of: sequence, from: caller)
        }
        return inFlight?.numbered.digest(of: sequence, from: caller)
    }

    @inline(__always)
    private func isInFlight(_ share: AckScheduler.Share) -> Bool {
        inFlight?.number == share.batch || completed?.batch.number == share.batch
    }

    private mutating func takeRepetition(_ refusal: SettledRefusal?) -> Deduplication {
        stats.repetitions += 1
        batch.repetitions += 1
        return .known(refusal)
    }

    private mutating func contradiction(_ command: NumberedCommand) -> CommandRefusal {
        stats.conflicts += 1
        let refusal = CommandRefusal(
            .sequenceReused, "sequence \(command.sequence) came before with another command; give each its own")
        note(refusal, of: command)
        return refusal
    }

    /// Sees to it that the command can be settled when it is committed. The bound of ranges is looked at here, for the
    /// batch as far as it is known: what is committed is settled.
    @inline(__always)
    private mutating func makeRoom(for command: NumberedCommand, at place: Int32?) -> CommandRefusal? {
        let caller = command.caller
        let ranges = place.map { state.producers[$0].ranges.count } ?? 0
        let isWaiting = isInFlight(ackScheduler[caller].earlier)
        let opened = ackScheduler[caller].share.opened + (isWaiting ? ackScheduler[caller].earlier.opened : 0)
        if ranges + opened >= state.producers.bounds.gaps, opensRange(command, at: place) {
            return note(
                Self.overload("the limit `maxSequenceGaps` is reached; send what is missing before it first"),
                of: command)
        }
        if let place {
            if state.producers.hold(place, at: now) { return nil }
        } else if ackScheduler[caller].share.isReserved || isWaiting && ackScheduler[caller].earlier.isReserved
            || state.producers.reserve(at: now)
        {
            ackScheduler[caller].share.isReserved = true
            return nil
        }
        return note(Self.overload("the limit `maxProducers` is reached; try again later or raise it"), of: command)
    }

    private static let crowded = "as many producers as the limit `maxProducers` allows were heard of just now"

    private static func overload(_ detail: String) -> CommandRefusal { CommandRefusal(.overload, detail) }

    private func opensRange(_ command: NumberedCommand, at place: Int32?) -> Bool {
        let before = command.sequence - 1
        let caller = ackScheduler[command.caller]
        if before == caller.share.highest || before == caller.earlier.highest && isInFlight(caller.earlier) {
            return false
        }
        return place.map { !state.producers[$0].adjoins(command.sequence) } ?? (command.sequence != 1)
    }

    // MARK: - Batches

    /// Enters a command among those that are settled at the commit.
    @inline(__always)
    mutating func register(_ command: NumberedCommand) -> Int32 {
        let caller = command.caller
        if command.sequence - 1 != ackScheduler[caller].share.highest {
            let place = ackScheduler[caller].place
            if opensRange(command, at: place < 0 ? nil : place) { ackScheduler[caller].share.opened += 1 }
        }
        ackScheduler[caller].share.highest = max(ackScheduler[caller].share.highest, command.sequence)
        return batch.numbered.append(command)
    }

    /// Enters a command that is refused for good, so that this is committed. Returns `nil` for one that there is only
    /// no room for: it settles nothing.
    mutating func register(_ command: NumberedCommand, refusedFor refusal: CommandRefusal) -> Int32? {
        guard refusal.reason != .overload else {
            note(refusal, of: command)
            return nil
        }
        let entry = RefusalEntry(sender(of: command), digest: command.digest, SettledRefusal(refusal))
        batch.log.append(.refusedSequence, entry.bytes.span.bytes)
        return register(command)
    }

    /// Owes an acknowledgement for an entry's sequence, if it has one: it is settled, or refused for want of room.
    @inline(__always)
    mutating func settled(_ outcome: BrokerState.Outcome, of entry: BatchEntry, in completed: borrowing Batch) {
        guard entry.number != BatchEntry.unnumbered else { return }
        let command = completed.numbered[entry.number]
        if let refusal = outcome.refusal, refusal.reason == .overload {
            note(CommandRefusal(.overload, refusal.description), of: command)
        } else {
            ackScheduler.owe(command.caller)
            ackScheduler[command.caller].place = outcome.place
        }
    }

    /// Nothing that isn't committed is settled.
    mutating func refuseNumbers(of failed: inout Batch) {
        for index in failed.entries.indices where failed.entries[index].number != BatchEntry.unnumbered {
            note(CommandRefusal(.overload, Self.uncommitted), of: failed.numbered[failed.entries[index].number])
            failed.entries[index].number = BatchEntry.unnumbered
        }
    }

    func sender(of command: NumberedCommand) -> CommandSender {
        CommandSender(numbered: ackScheduler[command.caller].producer, command.sequence)
    }

    /// Notes a refusal that settles nothing, for the next acknowledgements.
    @discardableResult
    private mutating func note(_ refusal: CommandRefusal, of command: NumberedCommand) -> CommandRefusal {
        let isOverload = refusal.reason == .overload
        ackScheduler.owe(command.caller)
        ackScheduler.note(
            AckScheduler.PassingRefusal(
                sequence: command.sequence, reason: refusal.reason,
                retryAfter: isOverload ? refusal.retryAfter ?? AckScheduler.retryAfter : 0,
                detail: SettledRefusal.shortened(refusal.detail), notedAt: now),
            of: command.caller)
        return refusal
    }

    // MARK: - Giving

    /// Gives the acknowledgements that are owed, so many at most. Returns whether more are.
    mutating func sendAcks() throws -> Bool {
        guard publisher.wantsAcks else {
            ackScheduler.forgive()
            return false
        }
        for sender in ackScheduler.takeTurnedAway() {
            let refusal = AckScheduler.PassingRefusal(
                sequence: sender.sequence, reason: .overload, retryAfter: AckScheduler.retryAfter, detail: Self.crowded,
                notedAt: now)
            try publisher.publish(Acknowledgement(producer: sender.producer, passing: [refusal]), in: state)
        }
        var budget = PublishingBudget()
        while !budget.isSpent {
            guard let caller = ackScheduler.takeOwed() else { return false }
            let producer = ackScheduler[caller].producer
            let place = state.producers.place(of: producer, hint: ackScheduler[caller].place)
            if !ackScheduler[caller].passing.isEmpty { forgetPassing(of: caller, at: place) }
            let ack = Acknowledgement(producer: producer, place: place, passing: ackScheduler[caller].passing)
            budget.spend(bytes: try publisher.publish(ack, in: state))
        }
        return ackScheduler.isOwing
    }

    /// What was settled since, and what was long ago, is told no more.
    private mutating func forgetPassing(of caller: Int32, at place: Int32?) {
        var passing = ackScheduler[caller].passing
        passing.removeAll { refusal in
            if now - refusal.notedAt > AckScheduler.activity { return true }
            guard refusal.reason == .overload, let place else { return false }
            return state.producers[place].isSettled(refusal.sequence)
        }
        ackScheduler[caller].passing = passing
    }
}

extension ProducerSessions.Bounds {
    /// Those of a broker.
    init(_ limits: BrokerLimits) {
        self.init(
            producers: limits.maxProducers, gaps: limits.maxSequenceGaps, deduplicationWindow: limits.producerWindow)
    }
}
