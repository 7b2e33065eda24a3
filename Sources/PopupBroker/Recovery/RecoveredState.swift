import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// All that a journal determines: what came of its newest snapshot and of the batches since, in the order in which they
/// were committed.
///
/// A restart makes one, and so does each snapshot of a running broker: there is one way from batches to a state.
struct RecoveredState: ~Copyable {
    var scheduler: Scheduler
    /// The time zones that policies go by.
    var timeZones = TimeZoneTable()
    /// The policies that configurations have set and not taken back.
    var configuredPolicies: [WireSetPolicy] = []
    /// Which sequences of which producers are settled.
    var producers: ProducerLedger
    /// By which seed and within which limits the scheduler goes; `nil` when the journal doesn't say.
    var beginning: Beginning?
    /// The last batch that is in it; 0: none.
    var sequence: UInt64 = 0
    /// When that was applied.
    var time: Milliseconds = 0

    private var translator = CommandTranslator(leasesRunOut: false)
    private var output = EventBuffer()

    /// What an empty journal determines.
    init(_ scheduler: consuming Scheduler, _ producers: consuming ProducerLedger = ProducerLedger()) {
        self.scheduler = scheduler
        self.producers = producers
    }

    /// What a journal determines.
    ///
    /// - Parameter beginning: holds for a journal that doesn't say it.
    /// - Throws: When the journal can't be read or can't be used.
    static func recover(
        from snapshot: consuming JournalSnapshot?, _ beginning: Beginning,
        replay: (_ sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws -> Void
    ) throws -> RecoveredState {
        var state =
            if let snapshot { try restored(from: snapshot) } else {
                RecoveredState(
                    Scheduler(limits: beginning.limits, seed: beginning.seed), ProducerLedger(beginning.producers))
            }
        try replay(state.sequence + 1) { try state.apply($0) }
        return state
    }

    /// Applies a batch as it was applied when it was committed.
    ///
    /// - Throws: `CommandLogError`, `JournalContentError`: nothing after it is to be trusted.
    mutating func apply(_ batch: borrowing JournalBatch) throws {
        guard 0...TimeLimits.latest ~= batch.time else {
            throw JournalContentError(what: "a batch is of the time \(batch.time), which can't be")
        }
        while scheduler.step(until: batch.time, into: &output) { output.removeAll() }
        for entry in try CommandLog.entries(in: batch.commands) {
            try apply(entry, of: batch.commands, at: batch.time)
            output.removeAll()
        }
        sequence = batch.sequence
        time = max(time, batch.time)
    }

    private mutating func apply(_ entry: CommandLog.Entry, of bytes: [UInt8], at now: Milliseconds) throws {
        switch entry.kind {
        case .command:
            try apply(command: bytes, entry.range, at: now)
        case .configuredPolicy:
            try apply(command: bytes, entry.range, isConfigured: true, at: now)
            try noteConfigured(bytes[entry.range])
        case .removedPolicy:
            scheduler.apply(
                .removePolicy(pattern: TextRange(offset: 0, count: entry.range.count)),
                text: bytes.span.bytes.extracting(entry.range), at: now, into: &output)
            let pattern = String(decoding: bytes[entry.range], as: UTF8.self)
            configuredPolicies.removeAll { $0.group == pattern }
        case .timeZone:
            try enterTimeZone(bytes[entry.range])
        case .beginning:
            try begin(bytes[entry.range], at: now)
        case .amendedCommand:
            guard let amended = CommandLog.amended(entry, in: bytes) else {
                throw JournalContentError(what: "an amended command is damaged")
            }
            try apply(command: bytes, amended.command, digest: amended.digest, at: now)
        case .refusedSequence:
            let refused = try RefusalEntry(bytes: bytes[entry.range])
            producers.settle(refused.sender, digest: refused.digest, refusal: refused.refusal, at: now)
        case .scheduler, .producer:
            throw JournalContentError(what: "a batch holds the part of a snapshot")
        }
    }

    /// - Parameter digest: of what its producer sent, where that was something else.
    private mutating func apply(
        command bytes: [UInt8], _ range: Range<Int>, digest: UInt64? = nil, isConfigured: Bool = false,
        at now: Milliseconds
    ) throws {
        let text = bytes.span.extracting(range)
        let sender: CommandSender?
        var refusal: PopupScheduling.Refusal?
        if let show = ShowFrame.read(text, limits: WireLimits(contentBytes: .max)) {
            sender = CommandSender(show.producer, show.sequence)
            refusal = scheduler.show(show.request, text: text.bytes, at: now, into: &output)
        } else if let dismiss = DismissFrame.read(text) {
            sender = CommandSender(dismiss.producer, dismiss.sequence)
            refusal = scheduler.apply(
                .dismiss(dismiss.dismissal), from: dismiss.producer.map { ProducerID($0) }, text: text.bytes, at: now,
                into: &output)
        } else if let command = try? WireCommand(serializedBytes: Array(bytes[range])) {
            if case .setPolicy(let policy) = command.command, let zone = timeZones.firstMissing(for: policy) {
                throw JournalContentError(what: "there is no data of the time zone `\(zone)` before its policy")
            }
            sender = CommandSender(command)
            let scheduled = translator.translate(command, zones: timeZones) { scheduler.content(ofPopup: $0) }
            if let scheduled {
                let text = translator.text.bytes
                refusal = scheduler.apply(
                    isConfigured ? scheduled.ofConfiguration : scheduled,
                    from: command.sender, text: text.span.bytes, at: now, into: &output)
            }
        } else {
            throw JournalContentError(what: "a command can't be decoded")
        }
        guard let sender else { return }
        producers.settle(sender, digest: digest ?? CommandDigest.of(text.bytes), outcome: refusal, at: now)
    }

    mutating func noteConfigured(_ command: ArraySlice<UInt8>) throws {
        guard case .setPolicy(let policy)? = try? WireCommand(serializedBytes: Array(command)).command else {
            throw JournalContentError(what: "a policy of the configuration can't be decoded")
        }
        configuredPolicies.removeAll { $0.group == policy.group }
        configuredPolicies.append(policy)
    }

    mutating func enterTimeZone(_ entry: ArraySlice<UInt8>) throws {
        do {
            timeZones.enter(try TimeZoneData(journalEntry: entry))
        } catch {
            throw JournalContentError(what: "the data of a time zone is damaged: \(error.what)")
        }
    }

    private mutating func begin(_ entry: ArraySlice<UInt8>, at now: Milliseconds) throws {
        let next = try Beginning(entry)
        if sequence == 0, beginning == nil {
            scheduler = Scheduler(limits: next.limits, seed: next.seed)
        } else {
            scheduler.setLimits(next.limits)
        }
        scheduler.attend(at: now, into: &output)
        producers.bounds = next.producers
        beginning = next
    }
}
