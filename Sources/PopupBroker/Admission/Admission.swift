import PopupAccess
import PopupJournal
import PopupProtocol
import PopupScheduling

/// The admission: it decides which commands of a received frame become entries of a batch. It decodes, validates and
/// completes commands, asks the plugins, and limits the cost of a frame.
///
///     frame ──▶ ordinary `show` or `dismiss` ─────────────────────────▶ plugins ──▶ entry
///        └────▶ any other command ──▶ validated, completed ──▶ plugins ──▶ again ──▶ entry
///
/// It does not change the state. Repetitions of settled commands are passed to the acknowledgements only, not to
/// plugins or the journal.
struct Admission: ~Copyable {
    /// The fields of an ordinary command that are read before it is decoded.
    struct Ordinary {
        var kind: CommandKind
        var producer: ProducerName?
        var sequence: UInt64
    }

    /// The decision of the plugins on an ordinary command.
    enum Verdict {
        case admitted
        case amended(WireCommand)
        case refused(CommandRefusal, WireCommand)
    }

    private let wireLimits: WireLimits
    /// The maximum number of results of a query.
    private let queryResults: Int
    /// The time zones that policies may name. They are in memory: the loop's thread reads no file.
    private var timeZones: LoadedTimeZones
    private var completion: CommandAdmission
    /// The plugins. They are asked before a command is committed, and notified after it.
    private var plugins: PluginChain

    // The decoders of the last frame. They reuse their memory.
    private var show = ShowFrame()
    private var dismiss = DismissFrame()
    private(set) var json = CommandJSON()

    private var counts = FrameCounts()
    /// The maximum number of popups and groups that the commands of a frame may visit.
    private var visitsOfFrame = Ingress.visitedPopups
    /// The rest of a frame that waits for the next turns. No other frame is received before it is admitted.
    private var held: HeldCommands?
    /// The time zones that were looked up for the gathered batch, each once per batch.
    private var readZones = TimeZoneTable()

    /// Creates the admission of one epoch.
    init(_ configuration: BrokerConfiguration, timeZones: LoadedTimeZones, plugins: PluginChain, epoch: UInt64) {
        wireLimits = WireLimits(contentBytes: configuration.limits.popupContentBytes)
        queryResults = configuration.limits.queryResults
        self.timeZones = timeZones
        completion = CommandAdmission(epoch: epoch, limits: wireLimits)
        self.plugins = plugins
    }

    // MARK: - Frames

    /// Begins a frame, or a command from another thread, which counts as a frame.
    mutating func beginFrame() { counts = FrameCounts() }

    /// Whether commands of the last frame are held for the next turns.
    var isHolding: Bool { held != nil }

    /// Holds the last commands of the frame of this user for the next turns.
    mutating func hold(_ commands: HeldCommands.Content, of user: UserName?) {
        held = HeldCommands(user: user, commands: commands, counts: counts)
    }

    /// Returns the held commands, and holds them no longer. Their frame continues: what was counted of it still counts.
    mutating func takeHeld() -> HeldCommands? {
        guard let rest = held.take() else { return nil }
        counts = rest.counts
        return rest
    }

    /// Counts a refusal, unless it is temporary (`OVERLOAD`).
    mutating func record(_ refusal: CommandRefusal) {
        if refusal.reason != .overload { counts.mistakes += 1 }
    }

    /// Counts a command that was decoded.
    mutating func recordDecoded() { counts.decoded += 1 }

    /// Whether the remaining commands of the frame are refused together.
    var refusesRest: Bool { hasTooManyMistakes || counts.decoded >= Ingress.decodedCommands }

    /// Returns the refusal of the remaining commands of the frame.
    ///
    /// - Parameter unread: The number of these commands.
    func refusal(ofRest unread: Int) -> CommandRefusal {
        hasTooManyMistakes ? Ingress.tooManyMistakes(unread: unread) : Ingress.tooManyDecoded(unread: unread)
    }

    private var hasTooManyMistakes: Bool { counts.mistakes >= Ingress.reportedMistakes }

    /// Reads the commands of a JSON frame into `json`.
    mutating func read(json text: Span<UInt8>) throws(CommandRefusal) { try json.read(text) }

    /// Reads an encoded command if it is an ordinary one.
    @inline(__always)
    mutating func readOrdinary(_ frame: Span<UInt8>) -> Ordinary? {
        if show.read(frame, limits: wireLimits) {
            // Commands that visit all groups are counted, and fields that only the broker sets are removed, when other
            // commands are decoded.
            if show.exclusive == .all || !show.by.isEmpty { return nil }
            return Ordinary(kind: .show, producer: show.producer, sequence: show.sequence)
        }
        if dismiss.read(frame) {
            if !dismiss.by.isEmpty { return nil }
            return Ordinary(kind: .dismiss, producer: dismiss.producer, sequence: dismiss.sequence)
        }
        return nil
    }

    /// Stores the ordinary command that was read last. Returns the content of its entry.
    @inline(__always)
    func keepOrdinary(_ kind: CommandKind, in batch: inout Batch) -> BatchEntry.Content {
        if case .dismiss = kind { batch.keep(dismiss.dismissal) } else { batch.keep(show) }
    }

    /// Stores an encoded `show` or `dismiss` if it is an ordinary one: read as the replay of the journal
    /// reads it. Returns the content of its entry.
    mutating func keepOrdinary(
        _ kind: CommandKind?, _ bytes: Span<UInt8>, in batch: inout Batch
    ) -> BatchEntry.Content? {
        switch kind {
        case .show where show.read(bytes, limits: wireLimits): batch.keep(show)
        case .dismiss where dismiss.read(bytes): batch.keep(dismiss.dismissal)
        default: nil
        }
    }

    /// Whether the ordinary command that was read last ends its frame, so that the broker can append the name of its
    /// user.
    func isLastInFrame(_ kind: CommandKind, of frame: RawSpan) -> Bool {
        (kind == .dismiss ? dismiss.message.upperBound : show.popup.upperBound) == frame.byteCount
    }

    /// Makes room for the name of its user behind the ordinary command that was read last, which ends its frame.
    @inline(__always)
    mutating func append(userOf count: Int, to kind: CommandKind) {
        if kind == .dismiss { dismiss.append(userOf: count) } else { show.append(userOf: count) }
    }

    /// Checks the rights for the ordinary command that was read last in this frame.
    ///
    /// - Throws: The errors of `AccessControl.check`.
    @inline(__always)
    func check(
        _ kind: CommandKind, in frame: RawSpan, _ access: inout AccessControl, _ scheduler: borrowing Scheduler
    ) throws(CommandRefusal) {
        if kind == .show, show.collapseKey.isEmpty,
            access.mayShow(in: frame.extracting(show.group.indices), priority: show.priority, exclusive: show.exclusive)
        {
            if access.recordsPopups { recordPending(in: frame, &access) }
            return
        }
        try checkInDetail(kind, in: frame, &access, scheduler)
    }

    private func recordPending(in frame: RawSpan, _ access: inout AccessControl) {
        frame.withUnsafeBytes { frame in
            access.recordPending(
                popup: String(decoding: frame[show.id.indices], as: UTF8.self), collapseKey: "",
                in: String(decoding: frame[show.group.indices], as: UTF8.self))
        }
    }

    private func checkInDetail(
        _ kind: CommandKind, in frame: RawSpan, _ access: inout AccessControl, _ scheduler: borrowing Scheduler
    ) throws(CommandRefusal) {
        func text(_ range: Range<Int>) -> String {
            frame.withUnsafeBytes { String(decoding: $0[range], as: UTF8.self) }
        }
        if kind == .dismiss {
            return try access.check(
                dismissing: text(dismiss.id), in: text(dismiss.group), by: text(dismiss.client), scheduler)
        }
        let (group, key) = (text(show.group.indices), text(show.collapseKey.indices))
        let replaced = access.replaced(by: key, in: group, isLater: show.delayMs > 0, scheduler)
        try access.check(
            showing: text(show.id.indices), in: group, priority: show.priority, exclusive: show.exclusive,
            replacing: replaced)
        access.recordPending(popup: text(show.id.indices), collapseKey: key, in: group)
    }

    // MARK: - Plugins

    /// Whether there are plugins. Without any, nothing is collected for them.
    var hasPlugins: Bool { @inline(__always) get { !plugins.isEmpty } }

    /// The names of the plugins, for the log.
    var pluginNames: [String] { plugins.names }

    /// Notifies the plugins of the state with which the broker starts.
    func notifyPlugins(of start: BrokerStart) { plugins.notify(of: start) }

    /// Notifies the plugins of the outcome of a batch, or of timers.
    func notifyPlugins(of outcome: CommittedBatch) { plugins.notify(of: outcome) }

    /// Returns the plugins for another configuration, which come into force with `setPlugins`.
    ///
    /// - Throws: `CommandRefusal` for invalid defaults. Then nothing has changed.
    func plugins(for configuration: BrokerConfiguration) throws(CommandRefusal) -> PluginChain {
        try plugins.changed(to: configuration)
    }

    /// Brings other plugins into force.
    mutating func setPlugins(_ plugins: PluginChain) { self.plugins = plugins }

    /// Asks the plugins about an ordinary command in a batch's log. The log is changed afterwards, so the plugins must
    /// not keep a reference to it, which would cause a copy.
    func verdict(
        on command: Ordinary, in log: borrowing CommandLog, at range: Range<Int>, _ now: Milliseconds
    ) -> Verdict {
        var admitted = AdmittedCommand(command.kind, from: command.producer, in: log.bytes, at: range)
        do throws(CommandRefusal) {
            return try plugins.admit(&admitted, at: now) ? .amended(admitted.command) : .admitted
        } catch {
            return .refused(error, admitted.command)
        }
    }

    /// Asks the plugins about a complete command, which they may amend. Returns whether they did: then it has to be
    /// completed again.
    func askPlugins(about command: inout WireCommand, at now: Milliseconds) throws(CommandRefusal) -> Bool {
        guard !plugins.isEmpty, var admitted = AdmittedCommand(command), try plugins.admit(&admitted, at: now)
        else { return false }
        command = admitted.command
        return true
    }

    // MARK: - Commands

    /// Validates and completes a command. Amendments of plugins are checked like received commands.
    mutating func complete(_ command: inout WireCommand) throws(CommandRefusal) { try completion.admit(&command) }

    /// Counts the popups, groups and producers that a command visits: all of them, unless it needs only a few. A batch
    /// takes no further message once they exceed `Ingress.visitedPopups`, and a frame no further such command once they
    /// exceed `visitsOfFrame`. The first one of a frame is always taken.
    ///
    /// - Parameter producers: The number of producers whose sequences are remembered.
    /// - Returns: Their number; 0 for a command that need not be counted.
    /// - Throws: `OVERLOAD` if the frame visits too many.
    mutating func spendVisits(
        of content: WireCommand.OneOf_Command, in scheduler: borrowing Scheduler, producers: Int
    ) throws(CommandRefusal) -> Int {
        let count: Int
        switch content {
        case .clear: count = scheduler.popupCount
        case .query(let query):
            switch query.query {
            case .list, .count: count = scheduler.popupCount
            case .policies(let policies) where policies.group.isEmpty:
                count = scheduler.policyCount + Self.visitsOfLargePage
            case .history: count = scheduler.visitsOfHistory
            case .groups: count = queryResults
            case .suspensions: count = scheduler.suspensionCount + Self.visitsOfSmallQuery
            case .renderers: count = scheduler.visitsOfRenderers + max(queryResults, Self.visitsOfLargePage)
            case .producers(let query) where query.producer.isEmpty:
                count = queryResults + (query.hasAfter ? producers : 0)
            default: count = Self.visitsOfSmallQuery
            }
        case .suspend(let suspend) where suspend.group.hasSuffix("*"): count = scheduler.groupCount
        case .setPolicy(let policy) where policy.group.hasSuffix("*"): count = scheduler.groupCount
        case .unsetPolicy(let policy) where policy.group.hasSuffix("*"): count = scheduler.groupCount
        case .resume: count = scheduler.groupCount
        case .show(let popup) where popup.exclusive == .all: count = scheduler.popupCount + scheduler.groupCount
        case .page(let page): count = Self.visits(of: page, in: scheduler)
        case .setSession(let session): count = Self.popupCount(of: session.group, in: scheduler)
        case .lease(let lease) where lease.groups.isEmpty:
            count = scheduler.visits(ofLeaseEndOf: Array(lease.client.utf8).span.bytes)
        // A frame may contain any number of new leases; a batch, as many as take some milliseconds.
        case .lease(let lease): return lease.groups.count * Self.visitsOfPattern
        default: return 0
        }
        guard count > 0 else { return 0 }
        guard counts.visits == 0 || counts.visits + count <= visitsOfFrame else {
            throw CommandRefusal(
                .overload,
                "the queries and the commands for many popups or groups in one frame go through more than"
                    + " \(visitsOfFrame) of them; send them singly")
        }
        counts.visits += count
        return count
    }

    private static var visitsOfSmallQuery: Int { 100 }
    /// A reply of about a mebibyte: a hundred policies with all of their fields, or renderers with many groups.
    private static var visitsOfLargePage: Int { 10_000 }

    /// The cost of a name or pattern of a new lease: it is decoded, and entered into tables of all such names.
    private static var visitsOfPattern: Int { 32 }

    private static func visits(of page: WirePage, in scheduler: borrowing Scheduler) -> Int {
        // A page below another one concerns no popup.
        if case .open(let opened) = page.page, !opened.parent.isEmpty { return 0 }
        return scheduler.visits(ofChangesOfTree: Array(page.tree.utf8).span.bytes)
    }

    private static func popupCount(of group: String, in scheduler: borrowing Scheduler) -> Int {
        guard let index = scheduler.group(named: Array(group.utf8).span.bytes),
            let summary = scheduler.state(of: index, at: 0)
        else { return 0 }
        return (summary.active == nil ? 0 : 1) + summary.waiting + summary.paused
    }

    /// Limits the number of popups and groups that the commands of a frame may visit, for tests.
    mutating func limit(visitsOfFrame: Int) { self.visitsOfFrame = visitsOfFrame }

    // MARK: - Policies

    /// Replaces the time zones that policies may name. Returns the former ones.
    @discardableResult
    mutating func replaceTimeZones(by loaded: LoadedTimeZones) -> LoadedTimeZones {
        defer { timeZones = loaded }
        return timeZones
    }

    /// Checks a policy of the configuration.
    func check(_ policy: WireSetPolicy) throws(CommandRefusal) {
        _ = try PolicyTranslator.policy(policy, timeZones: timeZones)
    }

    /// Returns the time zones that a policy names, as they were loaded.
    ///
    /// - Throws: `INVALID` for a zone that does not exist or cannot be used.
    mutating func zones(of policy: WireSetPolicy) throws(CommandRefusal) -> [TimeZoneData] {
        let zones = try timeZones.zones(of: policy, known: readZones)
        for zone in zones { readZones.enter(zone) }
        return zones
    }

    /// Checks policies of the configuration, and returns how they differ from those that it set before. If several have
    /// the same name or pattern, the last one counts. A policy is set again if the data of its time zones has changed.
    ///
    /// - Throws: `CommandRefusal` if a policy is invalid.
    func changes(
        to policies: [WireSetPolicy], in state: borrowing BrokerState
    ) throws(CommandRefusal) -> [PolicyChange] {
        var wanted: [WireSetPolicy] = []
        for policy in policies {
            try check(policy)
            wanted.removeAll { $0.group == policy.group }
            wanted.append(policy)
        }
        var changes: [PolicyChange] = []
        for policy in state.configuredPolicies where !wanted.contains(where: { $0.group == policy.group }) {
            changes.append(.removed(pattern: policy.group))
        }
        for policy in wanted
        where !state.configuredPolicies.contains(policy) || hasOtherTimeZones(policy, inForce: state.timeZones) {
            changes.append(.set(policy))
        }
        return changes
    }

    /// Whether the time zones of a policy in force have changed since they were loaded. A zone that no longer exists
    /// stays as it is.
    private func hasOtherTimeZones(_ policy: WireSetPolicy, inForce: TimeZoneTable) -> Bool {
        guard let zones = try? timeZones.zones(of: policy) else { return false }
        return zones.contains { inForce[$0.name] != $0 }
    }

    /// Begins the next batch, for which zones are looked up again.
    mutating func beginBatch() { readZones.removeAll() }
}

/// The last commands of a frame, which wait for the next turns.
struct HeldCommands {
    enum Content {
        /// The rest of a binary batch.
        case binary([UInt8])
        /// The commands from this one on of the JSON frame that was read last, with its text.
        case json(next: Int, text: [UInt8])
    }

    let user: UserName?
    let commands: Content
    /// The counts of the frame so far.
    fileprivate let counts: FrameCounts
}

/// The counts of a frame, over all turns in which parts of it are admitted.
private struct FrameCounts {
    /// The number of refused commands, except temporary refusals and those of numbered commands.
    var mistakes = 0
    /// The number of commands that were decoded.
    var decoded = 0
    /// The number of popups and groups that the commands visit.
    var visits = 0
}
