import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Receipts: a command with a producer and a sequence is looked up before anything else sees it, settled when it is
// committed, and acknowledged after that.
//
//     take ──▶ new ────▶ plugins, journal ──▶ settle ──▶ receipt
//      ├─────▶ known ───────────────────────────────────▶ receipt
//      └─────▶ refused (no room, contradicts) ──────────▶ receipt
extension BrokerCore {
    /// How a numbered command is to be gone on with.
    enum Admittance {
        /// It is none that was settled, or waits for this commit.
        case new(NumberedCommand)
        /// It was settled before, with this refusal if it was refused then, or waits for this commit.
        case known(SettledRefusal?)
        /// There is no room for it, or another command has its sequence.
        case refused(CommandRefusal)
    }

    /// Looks up a numbered command; its producer is owed a receipt, whatever comes of it.
    @inline(__always)
    mutating func take(_ sender: CommandSender, digest: UInt64) -> Admittance {
        guard let caller = desk.hear(sender.producer, at: now) else {
            desk.turnAway(sender)
            return .refused(Self.overload(Self.crowded))
        }
        let command = NumberedCommand(caller: caller, sequence: sender.sequence, digest: digest)
        let place = state.producers.place(of: sender.producer, hint: desk[caller].place)
        desk[caller].place = place ?? -1
        if let place {
            switch state.producers.standing(at: place, sender.sequence, digest: digest) {
            case .new: break
            case .repeated: return takeRepetition(state.producers[place].refusal(of: sender.sequence))
            case .contradicting: return .refused(contradiction(command))
            }
        }
        desk.begin(batch: batch.number, of: caller)
        if let pending = pendingDigest(of: sender.sequence, from: caller) {
            return pending == digest ? takeRepetition(nil) : .refused(contradiction(command))
        }
        if let refusal = makeRoom(for: command, at: place) { return .refused(refusal) }
        return .new(command)
    }

    /// The digest of a command that waits for its commit.
    @inline(__always)
    private mutating func pendingDigest(of sequence: UInt64, from caller: Int32) -> UInt64? {
        if sequence <= desk[caller].share.highest, let digest = batch.numbered.digest(of: sequence, from: caller) {
            return digest
        }
        guard sequence <= desk[caller].earlier.highest, isInFlight(desk[caller].earlier) else { return nil }
        if landing?.batch.number == desk[caller].earlier.batch {
            return landing?.batch.numbered.digest(of: sequence, from: caller)
        }
        return flying?.numbered.digest(of: sequence, from: caller)
    }

    @inline(__always)
    private func isInFlight(_ share: ReceiptDesk.Share) -> Bool {
        flying?.number == share.batch || landing?.batch.number == share.batch
    }

    private mutating func takeRepetition(_ refusal: SettledRefusal?) -> Admittance {
        stats.repetitions += 1
        batch.repetitions += 1
        return .known(refusal)
    }

    private mutating func contradiction(_ command: NumberedCommand) -> CommandRefusal {
        stats.conflicts += 1
        let refusal = CommandRefusal(
            .conflict, "sequence \(command.sequence) came before with another command; give each its own")
        note(refusal, of: command)
        return refusal
    }

    /// Sees to it that the command can be settled when it is committed. The bound of ranges is looked at here, for the
    /// batch as far as it is known: what is committed is settled.
    @inline(__always)
    private mutating func makeRoom(for command: NumberedCommand, at place: Int32?) -> CommandRefusal? {
        let caller = command.caller
        let ranges = place.map { state.producers[$0].ranges.count } ?? 0
        let isWaiting = isInFlight(desk[caller].earlier)
        let opened = desk[caller].share.opened + (isWaiting ? desk[caller].earlier.opened : 0)
        if ranges + opened >= state.producers.bounds.holes, opensRange(command, at: place) {
            return note(
                Self.overload("the limit `producerHoles` is reached; send what is missing before it first"),
                of: command)
        }
        if let place {
            if state.producers.hold(place, at: now) { return nil }
        } else if desk[caller].share.isReserved || isWaiting && desk[caller].earlier.isReserved
            || state.producers.reserve(at: now)
        {
            desk[caller].share.isReserved = true
            return nil
        }
        return note(Self.overload("the limit `producers` is reached; try again later or raise it"), of: command)
    }

    private static let crowded = "as many producers as the limit `producers` allows were heard of just now"

    private static func overload(_ detail: String) -> CommandRefusal { CommandRefusal(.overload, detail) }

    private func opensRange(_ command: NumberedCommand, at place: Int32?) -> Bool {
        let before = command.sequence - 1
        let caller = desk[command.caller]
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
        if command.sequence - 1 != desk[caller].share.highest {
            let place = desk[caller].place
            if opensRange(command, at: place < 0 ? nil : place) { desk[caller].share.opened += 1 }
        }
        desk[caller].share.highest = max(desk[caller].share.highest, command.sequence)
        return batch.numbered.append(command)
    }

    /// Enters a command that is refused for good, so that this is committed. Returns `nil` for one that there is only no
    /// room for: it settles nothing.
    mutating func register(_ command: NumberedCommand, refusedFor refusal: CommandRefusal) -> Int32? {
        guard refusal.reason != .overload else {
            note(refusal, of: command)
            return nil
        }
        let entry = RefusalEntry(sender(of: command), digest: command.digest, SettledRefusal(refusal))
        batch.log.append(.refusedSequence, entry.bytes.span.bytes)
        return register(command)
    }

    /// Owes a receipt for an entry's sequence, if it has one: it is settled, or refused for want of room.
    @inline(__always)
    mutating func settled(_ outcome: BrokerState.Outcome, of entry: BatchEntry, in landing: borrowing Batch) {
        guard entry.number != BatchEntry.unnumbered else { return }
        let command = landing.numbered[entry.number]
        if let refusal = outcome.refusal, refusal.reason == .overload {
            note(CommandRefusal(.overload, refusal.description), of: command)
        } else {
            desk.owe(command.caller)
            desk[command.caller].place = outcome.place
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
        CommandSender(numbered: desk[command.caller].producer, command.sequence)
    }

    /// Notes a refusal that settles nothing, for the next receipts.
    @discardableResult
    private mutating func note(_ refusal: CommandRefusal, of command: NumberedCommand) -> CommandRefusal {
        let isOverload = refusal.reason == .overload
        desk.owe(command.caller)
        desk.note(
            ReceiptDesk.PassingRefusal(
                sequence: command.sequence, reason: refusal.reason,
                retryAfter: isOverload ? refusal.retryAfter ?? ReceiptDesk.retryAfter : 0,
                detail: SettledRefusal.shortened(refusal.detail), notedAt: now),
            of: command.caller)
        return refusal
    }

    // MARK: - Giving

    var wantsReceipts: Bool { !interest.channels.isDisjoint(with: [.acks, .acksJSON]) }

    /// Gives the receipts that are owed, so many at most. Returns whether more are.
    mutating func giveReceipts() throws -> Bool {
        guard wantsReceipts else {
            desk.forgive()
            return false
        }
        for sender in desk.takeTurnedAway() {
            let refusal = ReceiptDesk.PassingRefusal(
                sequence: sender.sequence, reason: .overload, retryAfter: ReceiptDesk.retryAfter, detail: Self.crowded,
                notedAt: now)
            try giveReceipt(to: sender.producer, at: nil, [refusal], on: interest.channels)
        }
        var budget = PublishingBudget()
        while !budget.isSpent {
            guard let caller = desk.takeOwed() else { return false }
            let producer = desk[caller].producer
            let place = state.producers.place(of: producer, hint: desk[caller].place)
            if !desk[caller].passing.isEmpty { forgetPassing(of: caller, at: place) }
            try giveReceipt(to: producer, at: place, desk[caller].passing, on: interest.channels)
            budget.spend(bytes: body.count * (interest.channels.contains(.acksJSON) ? Syncs.costOfJSON : 1))
        }
        return desk.isOwing
    }

    /// Gives whoever subscribes to a producer's receipts the present one.
    mutating func giveReceipt(to producer: ProducerName, on channel: Interest.Channels) throws {
        guard !desk.owe(producer), let place = state.producers.place(of: producer) else { return }
        try giveReceipt(to: producer, at: place, [], on: channel)
    }

    /// What was settled since, and what was long ago, is told no more.
    private mutating func forgetPassing(of caller: Int32, at place: Int32?) {
        var passing = desk[caller].passing
        passing.removeAll { refusal in
            if now - refusal.notedAt > ReceiptDesk.activity { return true }
            guard refusal.reason == .overload, let place else { return false }
            return state.producers[place].isSettled(refusal.sequence)
        }
        desk[caller].passing = passing
    }

    private mutating func giveReceipt(
        to producer: ProducerName, at place: Int32?, _ passing: [ReceiptDesk.PassingRefusal],
        on channels: Interest.Channels
    ) throws {
        body.removeAll(keepingCapacity: true)
        body.appendField(1, epoch)
        if let place { state.producers[place].appendReceipt(to: &body) }
        for refusal in passing {
            body.appendRefusal(refusal.sequence, refusal.reason, retryAfter: refusal.retryAfter, refusal.detail)
        }
        let name = Array(producer.description.utf8)
        if channels.contains(.acks) { try publish(body, prefix: Self.acksPrefix, name: name) }
        if channels.contains(.acksJSON) {
            try publishJSON(WireReceipt(serializedBytes: body), prefix: Self.acksJSONPrefix, name: name)
        }
    }

    private static let acksPrefix = Array(Channel.acks.prefix.utf8)
    private static let acksJSONPrefix = Array(Channel.acksJSON.prefix.utf8)
}

extension ProducerLedger.Bounds {
    /// Those of a broker.
    init(_ limits: BrokerLimits) {
        self.init(
            producers: limits.producers, holes: limits.producerHoles, rememberFor: limits.rememberProducersFor)
    }
}
