public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// The state machine of a broker: everything that its journal determines.
///
/// Only `apply` and `advance` change popups, rules and settled sequences, for the live loop, a restart, a snapshot, a
/// simulation and a comparison of policies. They receive the time as an argument, read no clock and no file, and return
/// the effects: the same entries at the same times result in the same state on any machine. `endBatch` and `record` keep
/// what has passed, `setUser` and `setLeasesRunOut` apply to later entries. Reservations and queries change nothing that
/// an entry depends on. No property can be set from outside.
///
///     entry ─▶ apply ─▶ scheduler ─▶ events, changes
///                └────▶ settings, time zones, policies of the configuration, settled sequences
public struct BrokerState: ~Copyable {
    /// The popups and the rules. Only `apply` and `advance` change it.
    @usableFromInline package internal(set) var scheduler: Scheduler
    /// The time zones of the policies.
    package private(set) var timeZones: TimeZoneTable
    /// The policies that configurations have set and not removed.
    package private(set) var configuredPolicies: [WireSetPolicy]
    /// The limits of the current run; `nil` if the journal contains none yet.
    package private(set) var settings: JournaledSettings?
    /// The sequence of the last applied batch; 0 for none.
    package private(set) var sequence: UInt64
    /// The time of that batch, or the latest argument of `record` if that is later.
    package private(set) var time: Milliseconds
    /// The settled sequences of producers. Only `apply` settles one.
    @usableFromInline package internal(set) var producers: ProducerSessions

    private var translator: CommandTranslator
    /// Whether a journal is being replayed.
    private var isReplaying = false

    /// Creates a state from its parts.
    ///
    /// - Parameter leasesRunOut: Whether leases end by themselves. A live broker ends them by commands.
    init(
        _ scheduler: consuming Scheduler, _ producers: consuming ProducerSessions = ProducerSessions(),
        settings: JournaledSettings? = nil, timeZones: TimeZoneTable = TimeZoneTable(), policies: [WireSetPolicy] = [],
        sequence: UInt64 = 0, time: Milliseconds = 0, leasesRunOut: Bool = false
    ) {
        self.scheduler = scheduler
        self.producers = producers
        self.settings = settings
        self.timeZones = timeZones
        configuredPolicies = policies
        self.sequence = sequence
        self.time = time
        translator = CommandTranslator(leasesRunOut: leasesRunOut)
        shortenClosedPopups()
    }

    /// Makes the history keep the excerpts and users of popups whose content is long.
    private mutating func shortenClosedPopups() {
        scheduler.shortenClosedContents { content in
            content.withUnsafeBytes { bytes in
                PopupExcerpt.shortened(popup: Span(_unsafeElements: bytes.bindMemory(to: UInt8.self)))
            }
        }
    }

    /// Creates the state of an empty journal.
    package init(_ settings: JournaledSettings, leasesRunOut: Bool = false) {
        self.init(
            Scheduler(limits: settings.limits, seed: settings.seed, hashSeed: settings.hashSeed),
            ProducerSessions(settings.producers),
            leasesRunOut: leasesRunOut)
    }

    // MARK: - Changes

    /// Handles the first timer that is due at or before `time`. Returns whether there was one. Call it until it returns
    /// `false`, and publish between the calls.
    @inlinable @inline(__always)
    package mutating func advance(to time: Milliseconds, into output: inout EventBuffer) -> Bool {
        scheduler.step(until: time, into: &output)
    }

    /// Applies an ordinary `show`; its ranges refer to `text`.
    @inlinable @inline(__always)
    package mutating func apply(
        _ request: PopupRequest, _ text: RawSpan, from origin: Origin?, at now: Milliseconds,
        into output: inout EventBuffer
    ) -> Outcome {
        settle(origin, scheduler.show(request, text: text, at: now, into: &output), at: now)
    }

    /// Applies an ordinary `dismiss`; its ranges refer to `text`.
    @inlinable @inline(__always)
    package mutating func apply(
        _ dismissal: Dismissal, _ text: RawSpan, by producer: ProducerName?, from origin: Origin?,
        at now: Milliseconds, into output: inout EventBuffer
    ) -> Outcome {
        let refusal = scheduler.apply(
            .dismiss(dismissal), from: producer.map { ProducerID($0) }, text: text, at: now, into: &output)
        return settle(origin, refusal, at: now)
    }

    /// Applies any other entry.
    package mutating func apply(
        _ entry: Entry, from origin: Origin? = nil, at now: Milliseconds, into output: inout EventBuffer
    ) -> Outcome {
        switch entry {
        case .command(let command):
            return settle(origin, perform(command, at: now, into: &output), at: now)
        case .configuredPolicy(let policy):
            configuredPolicies.removeAll { $0.group == policy.group }
            configuredPolicies.append(policy)
            let command = WireCommand.with { $0.setPolicy = policy }
            return settle(origin, perform(command, isConfigured: true, at: now, into: &output), at: now)
        case .removedPolicy(let pattern):
            configuredPolicies.removeAll { $0.group == pattern }
            var text = TextBuilder()
            let command = Command.removePolicy(pattern: text.add(pattern))
            scheduler.apply(command, text: text.bytes.span.bytes, at: now, into: &output)
        case .timeZone(let zone):
            timeZones.enter(zone)
        case .settings(let next):
            begin(next, at: now, into: &output)
        case .wallClock(let entry):
            let command = Command.setWallClock(ahead: entry.ahead)
            scheduler.apply(command, text: [UInt8]().span.bytes, at: now, into: &output)
        case .refused(let refusal):
            guard let origin else { break }
            return Outcome(session: settle(origin, refusedFor: refusal, at: now))
        case .query:
            return settle(origin, nil, at: now)
        }
        return Outcome()
    }

    /// Ends a batch, after all of its entries were applied.
    package mutating func endBatch(_ sequence: UInt64, at time: Milliseconds) {
        self.sequence = sequence
        self.time = max(self.time, time)
    }

    /// Sets the time to one that is known to have passed: no later decision is earlier.
    package mutating func record(time: Milliseconds) {
        self.time = max(self.time, time)
    }

    /// Sets the user of the entries that are applied from now on; empty for a client without a key.
    package mutating func setUser(_ name: String) {
        guard name != producers.user else { return }
        producers.user = name
        scheduler.setUser(name)
    }

    /// Sets whether leases of later commands end by themselves. Otherwise they last until a command ends them.
    package mutating func setLeasesRunOut(_ runOut: Bool) { translator.leasesRunOut = runOut }

    /// Begins the replay of a journal: the scheduler leaves work to `endReplay`.
    mutating func beginReplay() {
        isReplaying = true
        scheduler.beginReplay()
    }

    /// Ends the replay. The next command says whose it is.
    mutating func endReplay() {
        isReplaying = false
        scheduler.endReplay()
        setUser("")
    }

    private mutating func perform(
        _ command: WireCommand, isConfigured: Bool = false, at now: Milliseconds, into output: inout EventBuffer
    ) -> PopupScheduling.Refusal? {
        // The policy of the configuration comes back.
        if case .unsetPolicy(let unset) = command.command,
            let configured = configuredPolicies.first(where: { $0.group == unset.group })
        {
            return perform(.with { $0.setPolicy = configured }, isConfigured: true, at: now, into: &output)
        }
        let scheduled = translator.translate(command, zones: timeZones) { scheduler.content(ofPopup: $0) }
        guard let scheduled else { return nil }
        let text = translator.text.bytes
        return scheduler.apply(
            isConfigured ? scheduled.ofConfiguration : scheduled, from: command.sender, text: text.span.bytes, at: now,
            into: &output)
    }

    private mutating func begin(_ next: JournaledSettings, at now: Milliseconds, into output: inout EventBuffer) {
        if sequence == 0, settings == nil {
            scheduler = Scheduler(limits: next.limits, seed: next.seed, hashSeed: next.hashSeed)
            scheduler.setUser(producers.user)
            if isReplaying { scheduler.beginReplay() }
            shortenClosedPopups()
        } else {
            scheduler.setLimits(next.limits)
        }
        scheduler.recordIdleTime(at: now, into: &output)
        producers.bounds = next.producers
        settings = next
    }

    /// Settles the sequence of an entry that the scheduler has handled. A refusal for lack of space settles nothing,
    /// and neither does one for which there is no space itself: the sequence may be used again.
    @inlinable @inline(__always)
    mutating func settle(
        _ origin: Origin?, _ refusal: PopupScheduling.Refusal?, at now: Milliseconds
    ) -> Outcome {
        guard let origin else { return Outcome(refusal: refusal) }
        guard let refusal else { return Outcome(session: settle(origin, refusal: nil, at: now)) }
        guard refusal.reason != .overload else { return Outcome(refusal: refusal) }
        return Outcome(refusal: refusal, session: settle(origin, refusedFor: SettledRefusal(refusal), at: now))
    }

    /// Settles the sequence of a refused command, if there is space to remember the refusal.
    @usableFromInline
    mutating func settle(
        _ origin: Origin, refusedFor refusal: SettledRefusal, at now: Milliseconds
    ) -> ProducerSessions.Index? {
        guard let refusal = producers.fitting(refusal, of: origin.sender, hint: origin.session) else { return nil }
        return settle(origin, refusal: refusal, at: now)
    }

    @inlinable @inline(__always)
    mutating func settle(_ origin: Origin, refusal: SettledRefusal?, at now: Milliseconds) -> ProducerSessions.Index {
        producers.settle(origin.sender, digest: origin.digest, refusal: refusal, at: now, hint: origin.session)
    }

    // MARK: - Space for sequences

    // A committed command is always settled. So its space is reserved before the commit, and until its batch is applied.
    // No entry is applied differently because of that, and no snapshot contains it.

    /// Reserves space for a producer without a record until the gathered batch is applied. Returns whether there is space.
    package mutating func reserveProducer(at now: Milliseconds) -> Bool { producers.reserve(at: now) }

    /// Keeps the record of a producer until the gathered batch is applied. Returns whether there is space for it: it may be
    /// about to be removed for another one.
    @inlinable @inline(__always)
    package mutating func hold(_ producer: ProducerSessions.Index, at now: Milliseconds) -> Bool {
        producers.hold(producer, at: now)
    }

    /// Closes the gathered batch. Returns the number of records that are reserved for it.
    package mutating func closeReservations() -> Int { producers.beginBatch() }

    /// Ends the reservations of the oldest closed batch, whether or not it was committed.
    ///
    /// - Parameter count: The result of `closeReservations` for it.
    package mutating func endReservations(_ count: Int) { producers.endBatch(reserved: count) }

    /// Looks up a numbered command that is applied at once.
    package mutating func lookUp(_ sender: CommandSender, digest: UInt64, at now: Milliseconds) -> SequenceLookup {
        producers.lookUp(sender, digest: digest, at: now)
    }

    // MARK: - Queries

    // Queries that visit groups by name may sort the names first. No result depends on that.

    /// Answers a query.
    package mutating func answer(
        _ query: WireQuery, by queryHandler: inout QueryHandler, at now: Milliseconds, stats: WireStatsResult
    ) -> WireReply {
        let result: WireResult.OneOf_Result
        switch query.query {
        case .policies(let asked): result = .policies(policies(asked))
        case .producers(let asked):
            result = .producers(producers(asked, limit: queryHandler.limit(asked.limit), at: now))
        default: return queryHandler.answer(query, from: &scheduler, at: now, stats: stats)
        }
        return WireReply(to: query, result)
    }

    /// Returns the selected live popups, at most `limit`.
    package mutating func list(
        _ selector: Selector, text: RawSpan, limit: Int, at now: Milliseconds
    ) -> [PopupSummary] {
        scheduler.list(selector, text: text, limit: limit, at: now)
    }

    /// Returns the number of selected live popups.
    package mutating func count(_ selector: Selector, text: RawSpan) -> Int { scheduler.count(selector, text: text) }

    /// Returns the groups whose names begin with a prefix, in the order of their names, at most `limit`.
    package mutating func groups(withPrefix prefix: RawSpan, limit: Int) -> [GroupIndex] {
        scheduler.groups(withPrefix: prefix, limit: limit)
    }

    /// Returns a sentence for each invariant that does not hold, for tests. O(n) in the size of the state.
    mutating func brokenInvariants() -> [String] { scheduler.brokenInvariants() }

    /// Appends the state of the scheduler, in the format of a snapshot.
    mutating func appendSchedulerState(to bytes: inout [UInt8]) { scheduler.appendState(to: &bytes) }
}
