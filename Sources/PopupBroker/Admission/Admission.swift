import PopupJournal
import PopupProtocol
import PopupScheduling

/// Decides what of a received frame becomes an entry of a batch: decodes, validates and completes commands, asks the
/// plugins, and bounds what one frame may cost.
///
///     frame ──▶ ordinary `show` or `dismiss` ─────────────────────────▶ plugins ──▶ entry
///        └────▶ any other command ──▶ validated, completed ──▶ plugins ──▶ again ──▶ entry
///
/// It changes nothing that is shown. What was settled before goes no further than to the acknowledgements: neither
/// plugins nor the journal see it.
struct Admission: ~Copyable {
    /// An ordinary command, as far as it is known before anything is made of it.
    struct Ordinary {
        var kind: CommandKind
        var producer: ProducerName?
        var sequence: UInt64
    }

    /// What the plugins say of an ordinary command.
    enum Verdict {
        case admitted
        case amended(WireCommand)
        case refused(CommandRefusal, WireCommand)
    }

    private let wireLimits: WireLimits
    /// The time zones that policies may name. In memory: no file is read on the loop's thread.
    var timeZones: LoadedTimeZones
    private var completion: CommandAdmission
    /// Asked before a command is committed, told after it.
    var plugins: PluginChain

    // What was read last: read into again and again.
    private var show = ShowFrame()
    private var dismiss = DismissFrame()
    private(set) var json = CommandJSON()

    /// Commands of the frame that were refused and ask for no acknowledgement.
    private var mistakes = 0
    /// Popups and groups that the frame goes through.
    private var visits = 0
    /// How many of them are allowed.
    var visitsOfFrame = Ingress.visitedPopups
    /// The time zones that were had for the gathered batch: each is made once a batch.
    private var readZones = TimeZoneTable()

    /// Admits the commands of one epoch.
    init(_ configuration: BrokerConfiguration, timeZones: LoadedTimeZones, plugins: PluginChain, epoch: UInt64) {
        wireLimits = WireLimits(contentBytes: configuration.limits.popupContentBytes)
        self.timeZones = timeZones
        completion = CommandAdmission(epoch: epoch, limits: wireLimits)
        self.plugins = plugins
    }

    // MARK: - Frames

    /// Begins a frame, or a command from another thread, which is as a frame of its own.
    mutating func beginFrame() {
        mistakes = 0
        visits = 0
    }

    /// Counts a refusal. What there is only no room for is no mistake.
    mutating func note(_ refusal: CommandRefusal) {
        if refusal.reason != .overload { mistakes += 1 }
    }

    /// Whether the frame has so many mistakes that the rest of it is refused as one.
    var hasTooManyMistakes: Bool { mistakes >= Ingress.toldMistakes }

    /// Reads the commands of a frame in JSON; they stand in `json` then.
    mutating func read(json text: Span<UInt8>) throws(CommandRefusal) { try json.read(text) }

    /// Reads an encoded command, if it is an ordinary one.
    @inline(__always)
    mutating func readOrdinary(_ frame: Span<UInt8>) -> Ordinary? {
        if show.read(frame, limits: wireLimits) {
            // What goes through all groups is counted on the long way, which also takes away what only the broker sets.
            if show.exclusive == .all || !show.by.isEmpty { return nil }
            return Ordinary(kind: .show, producer: show.producer, sequence: show.sequence)
        }
        if dismiss.read(frame) {
            if !dismiss.by.isEmpty { return nil }
            return Ordinary(kind: .dismiss, producer: dismiss.producer, sequence: dismiss.sequence)
        }
        return nil
    }

    /// Keeps what the ordinary command that was read last asks for, and returns the entry's content.
    @inline(__always)
    func keepOrdinary(_ kind: CommandKind, in batch: inout Batch) -> BatchEntry.Content {
        if case .dismiss = kind { batch.keep(dismiss.dismissal) } else { batch.keep(show.request) }
    }

    /// Keeps what an encoded `show` asks for, if it is an ordinary one.
    mutating func keepOrdinary(show bytes: [UInt8], in batch: inout Batch) -> BatchEntry.Content? {
        show.read(bytes.span, limits: wireLimits) ? batch.keep(show.request) : nil
    }

    /// Whether the ordinary command that was read last ends its frame: the broker can note behind it who sent it.
    func isLastInFrame(_ kind: CommandKind, of frame: RawSpan) -> Bool {
        (kind == .dismiss ? dismiss.message : show.popup).upperBound == frame.byteCount
    }

    /// The ordinary command that was read last, and the number of bytes behind it that are the name of its user.
    mutating func readAgain(_ frame: Span<UInt8>) {
        _ = show.read(frame, limits: wireLimits) || dismiss.read(frame)
    }

    /// Checks the rights for the ordinary command that was read last in this frame.
    ///
    /// - Throws: What `AccessControl.check` throws.
    func check(
        _ kind: CommandKind, in frame: RawSpan, _ access: inout AccessControl, _ scheduler: borrowing Scheduler
    ) throws(CommandRefusal) {
        func text(_ range: Range<Int>) -> String {
            frame.withUnsafeBytes { String(decoding: $0[range], as: UTF8.self) }
        }
        if kind == .dismiss {
            try access.check(
                dismissing: text(dismiss.id), in: text(dismiss.group), by: text(dismiss.client), scheduler)
        } else {
            try access.check(
                showing: text(show.id), in: text(show.group), priority: show.priority, exclusive: show.exclusive)
        }
    }

    // MARK: - Commands

    /// Asks the plugins about an ordinary command in a batch's log. They are lent the log only until this returns: it
    /// is changed afterwards, which would copy all of it as long as anybody else holds it.
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

    /// Asks the plugins about a command that is complete; they may amend it.
    func askPlugins(about command: inout WireCommand, at now: Milliseconds) throws(CommandRefusal) {
        guard !plugins.isEmpty, var admitted = AdmittedCommand(command) else { return }
        if try plugins.admit(&admitted, at: now) { command = admitted.command }
    }

    /// Validates and completes a command. What plugins amended is checked like what was received.
    mutating func complete(_ command: inout WireCommand) throws(CommandRefusal) { try completion.admit(&command) }

    /// Counts the popups, or groups, that a command goes through: all, unless it needs to look at a few only. A batch
    /// takes no further message beyond `Ingress.visitedPopups` of them, and a frame no further such command beyond
    /// `visitsOfFrame`; its first is always taken.
    ///
    /// - Returns: How many they are; 0 for a command that needs no counting.
    mutating func spendVisits(
        of content: WireCommand.OneOf_Command, in scheduler: borrowing Scheduler
    ) throws(CommandRefusal) -> Int {
        let count: Int
        switch content {
        case .clear: count = scheduler.popupCount
        case .query(let query):
            switch query.query {
            case .list, .count: count = scheduler.popupCount
            default: count = Self.visitsOfSmallQuestion
            }
        case .suspend(let suspend) where suspend.group.hasSuffix("*"): count = scheduler.groupCount
        case .setPolicy(let policy) where policy.group.hasSuffix("*"): count = scheduler.groupCount
        case .resume: count = scheduler.groupCount
        case .show(let popup) where popup.exclusive == .all: count = scheduler.popupCount + scheduler.groupCount
        case .page(let page): count = Self.visits(of: page, in: scheduler)
        case .setSession(let session): count = Self.popupCount(of: session.group, in: scheduler)
        case .lease(let lease) where lease.groups.isEmpty: count = scheduler.visitsOfLeaseEnd
        default: return 0
        }
        guard count > 0 else { return 0 }
        guard visits == 0 || visits + count <= visitsOfFrame else {
            throw CommandRefusal(
                .overload,
                "the questions and the commands for many popups or groups in one frame go through more than"
                    + " \(visitsOfFrame) of them; send them singly")
        }
        visits += count
        return count
    }

    private static var visitsOfSmallQuestion: Int { 100 }

    private static func visits(of page: WirePage, in scheduler: borrowing Scheduler) -> Int {
        // One that is opened below another concerns no popup.
        if case .open(let opened) = page.page, !opened.parent.isEmpty { return 0 }
        return scheduler.visits(ofChangesOfTree: Array(page.tree.utf8).span.bytes)
    }

    private static func popupCount(of group: String, in scheduler: borrowing Scheduler) -> Int {
        guard let index = scheduler.group(named: Array(group.utf8).span.bytes),
            let summary = scheduler.state(of: index, at: 0)
        else { return 0 }
        return (summary.active == nil ? 0 : 1) + summary.waiting + summary.paused
    }

    // MARK: - Policies

    /// Checks a policy of the configuration.
    func check(_ policy: WireSetPolicy) throws(CommandRefusal) {
        _ = try PolicyTranslator.policy(policy, timeZones: timeZones)
    }

    /// The time zones that a policy names, as the system had them when they were loaded.
    ///
    /// - Throws: `INVALID` for a zone that isn't there or can't be used.
    mutating func zones(of policy: WireSetPolicy) throws(CommandRefusal) -> [TimeZoneData] {
        let zones = try timeZones.zones(of: policy, known: readZones)
        for zone in zones { readZones.enter(zone) }
        return zones
    }

    /// Whether a policy that is in force would go by other clocks if it were set now. A zone that is there no more stays
    /// as it is.
    func hasOtherTimeZones(_ policy: WireSetPolicy, inForce: TimeZoneTable) -> Bool {
        guard let zones = try? timeZones.zones(of: policy) else { return false }
        return zones.contains { inForce[$0.name] != $0 }
    }

    /// Begins the next batch: its zones are looked up again.
    mutating func beginBatch() { readZones.removeAll() }
}
