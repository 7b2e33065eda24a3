import PopupAccess
import PopupProtocol
import PopupScheduling

/// The decisions whether clients may do what they ask for, by the rights of their users, before the plugins.
///
///     frame ──▶ its user's access ──▶ names that it uses ──▶ rights, group by group ──▶ plugins
///     subscription ──▶ the same
///
/// A command that names an id and no group is decided by the popup's group. A popup that the user may not see is
/// `NOT_FOUND`, so that ids reveal nothing. Only the popups of applied batches are known: a command for a popup that is
/// requested at the same moment must name its group.
struct AccessControl {
    /// The greatest number of names of producers, and of clients, that a user holds.
    static var namesPerUser: Int { 4096 }

    private var rules: AccessRules
    /// Whether every client may do everything and the sender of the frame has no name, so that no check is needed. A
    /// user that the rules do not name has a connection that is about to end.
    private(set) var isOpen: Bool
    /// The sender of the frame that is read; `nil`: a client without a key.
    private(set) var user: UserName?
    /// The rights of the sender.
    private(set) var access: UserAccess
    /// The field by which the journal keeps the user; empty for a client without a key.
    private(set) var userField: [UInt8] = []
    /// The sender for the entries of the batch.
    private(set) var sender = BatchEntry.Sender.withoutName
    /// The number of frames whose sender was not that of the frame before.
    private var changes: UInt64 = 0
    private(set) var denials = DenialCounts()
    private(set) var deniedSubscriptions = DeniedSubscriptions()

    private var producers = NameOwners<ProducerName>(namesPerUser: Self.namesPerUser)
    private var clients = NameOwners<ClientToken>(namesPerUser: Self.namesPerUser)
    /// The producer's name that the present user was last found to own and to have used. Commands of one producer often
    /// come together.
    private var ownedProducer: ProducerName?

    /// The allowed commands that are not applied yet.
    private var pending = PendingCommands()
    private var refusalEvents = RefusalEvents()
    /// Whether a grant is limited to the user's own popups, so that the users of pending popups matter.
    private(set) var recordsPopups: Bool

    /// Creates the access control for these rules.
    init(_ rules: AccessRules) {
        self.rules = rules
        isOpen = rules.isOpen
        recordsPopups = rules.limitsToOwn
        access = rules.access(of: nil)
    }

    /// Replaces the rules. Names of users that were removed are free.
    mutating func setRules(_ rules: AccessRules) {
        self.rules = rules
        isOpen = rules.isOpen && user == nil
        recordsPopups = rules.limitsToOwn
        access = rules.access(of: user)
        ownedProducer = nil
        deniedSubscriptions.removeAll()
        producers.removeUsers { rules.users[$0] == nil }
        clients.removeUsers { rules.users[$0] == nil }
    }

    /// Begins a frame of this user.
    @inline(__always)
    mutating func begin(_ sender: UserName?) {
        if sender == nil, user == nil { return }
        change(to: sender)
    }

    private mutating func change(to newUser: UserName?) {
        guard newUser != user else { return }
        user = newUser
        isOpen = rules.isOpen && newUser == nil
        userField = CommandUser.field(newUser?.text)
        changes += 1
        sender = newUser.map { .init(nameBytes: $0.text.utf8.count, change: changes) } ?? .withoutName
        access = rules.access(of: newUser)
        ownedProducer = nil
    }

    // MARK: - Batches

    /// Appends an ordinary command to the log of a batch, with the field of the present user. Returns its range.
    func append(withUser command: RawSpan, to batch: inout Batch) -> Range<Int> {
        batch.append(command: command, followedBy: userField.span.bytes)
    }

    /// Begins the next batch.
    mutating func closeBatch() { pending.closeBatch() }

    /// Ends the oldest batch, which is applied.
    mutating func endOldestBatch() { pending.endOldestBatch() }

    /// Records an allowed command until it is applied.
    mutating func recordPending(_ content: WireCommand.OneOf_Command, by user: UserName?) {
        switch content {
        case .suspend(let suspend): pending.recordSuspension(suspend.token, of: suspend.group)
        case .show(let popup):
            if !popup.collapseKey.isEmpty {
                pending.recordShowing(.init(group: popup.group, key: popup.collapseKey), by: user)
            }
            if recordsPopups { pending.recordPopup(popup.id, in: popup.group, by: user) }
        default: break
        }
    }

    /// Records an allowed ordinary `show` of the present user until it is applied.
    mutating func recordPending(popup id: String, collapseKey: String, in group: String) {
        if !collapseKey.isEmpty { pending.recordShowing(.init(group: group, key: collapseKey), by: user) }
        if recordsPopups { pending.recordPopup(id, in: group, by: user) }
    }

    /// Returns the group in which the present user will show a popup, according to the allowed commands.
    func group(ofPendingPopup id: String) -> String? {
        user == nil ? nil : pending.group(ofPopup: id, by: user)
    }

    /// Returns the patterns that a token suspends, or will suspend according to the allowed commands.
    func patterns(ofSuspension token: String, in scheduler: borrowing Scheduler) -> [String] {
        pending.patterns(ofSuspension: token) + (scheduler.pattern(ofSuspension: token).map { [$0] } ?? [])
    }

    /// Returns whether the collapse key of a popup of the present user may replace only its own popups, or any.
    ///
    /// - Parameter isLater: Whether the replaced popup is determined later than the command is applied.
    func replaced(
        by collapseKey: String, in group: String, isLater: Bool, _ scheduler: borrowing Scheduler
    ) -> AccessRequest.Replaced {
        guard !collapseKey.isEmpty, !access.isUnrestricted else { return .own }
        if isLater || pending.isShown(.init(group: group, key: collapseKey), byOthersThan: user) { return .any }
        guard let holder = scheduler.user(ofPopupWithKey: collapseKey, in: group) else { return .own }
        return user != nil && holder == user?.text ? .own : .any
    }

    // MARK: - Names

    // A producer's name belongs to the user that used it first, for as long as the producer's record in the journal or
    // the memory here exists. A command claims the name when it is allowed, also from a user that only reads under it.

    /// Whether the present user may use a producer's name: it belongs to that user, or to none.
    @inline(__always)
    mutating func mayUse(_ producer: ProducerName, _ sessions: borrowing ProducerSessions) -> Bool {
        if producer == ownedProducer { return true }
        guard mayUse(producer, as: user, by: .command, sessions) else { return false }
        if producers.hasUsed(producer, user) { ownedProducer = producer }
        return true
    }

    private func mayUse(
        _ producer: ProducerName, as user: UserName?, by use: NameOwners<ProducerName>.Use,
        _ sessions: borrowing ProducerSessions
    ) -> Bool {
        if producers.owner(of: producer) != nil { return producers.mayUse(producer, user, by: use) }
        guard let owner = sessions.owner(of: producer).flatMap({ UserName($0) }) else { return true }
        // The names of users that were removed are free.
        return owner == user || rules.users[owner] == nil
    }

    /// Claims a producer's name for the present user, which may use it.
    ///
    /// - Throws: `OVERLOAD` if the reading of another user under the name has to end first.
    @inline(__always)
    mutating func claim(_ producer: ProducerName?) throws(CommandRefusal) {
        guard let producer, producer != ownedProducer else { return }
        guard producers.claim(producer, for: user) else {
            throw CommandRefusal(
                .overload, "another user reads under the producer's name, and loses it to this one; send it again")
        }
        ownedProducer = producer
    }

    /// Whether a producer's name belongs to the present user.
    func isOwn(_ producer: ProducerName, _ sessions: borrowing ProducerSessions) -> Bool {
        producers.isOwner(user, of: producer)
            || producers.owner(of: producer) == nil && user != nil && sessions.owner(of: producer) == user?.text
    }

    /// Whether a reply to a client's name goes to the present user: the name belongs to that user, or to none. An empty
    /// name belongs to none.
    func hears(client name: String) -> Bool {
        ClientToken(name).flatMap { clients.owner(of: $0) }.map { $0 == user } ?? true
    }

    /// Checks that the present user may use a client's name.
    ///
    /// - Throws: `PERMISSION_DENIED` if it belongs to another user.
    mutating func checkName(
        ofClient name: String, by use: NameOwners<ClientToken>.Use = .command
    ) throws(CommandRefusal) {
        guard let client = ClientToken(name), !clients.mayUse(client, user, by: use) else { return }
        throw deny("uses the client's name `\(name)` of another; choose another one", right: nil, group: nil)
    }

    /// Claims a client's name for the present user, which may use it.
    ///
    /// - Throws: `OVERLOAD` if the reading of another user under the name has to end first.
    mutating func claim(
        client name: String, by use: NameOwners<ClientToken>.Use = .command
    ) throws(CommandRefusal) {
        guard let client = ClientToken(name), !clients.claim(client, for: user, by: use) else { return }
        throw CommandRefusal(
            .overload, "another user reads under the client's name `\(name)`, and loses it to this one; send it again")
    }

    /// Forgets the names that users have lost to newer names of their own, and returns the users that read under them.
    mutating func takeLosersOfNames() -> Set<UserName?> { producers.takeLosers().union(clients.takeLosers()) }

    // MARK: - Decisions

    /// Checks a request of the present user.
    ///
    /// - Throws: `PERMISSION_DENIED`, naming the missing right.
    mutating func require(_ request: AccessRequest, popup: String = "") throws(CommandRefusal) {
        guard let denial = access.denial(of: request) else { return }
        throw deny(denial.description, right: denial.right, group: GroupName(request.groups.text), popup: popup)
    }

    /// Whether the present user has any right in a group.
    private func hasAnyRight(in group: GroupName) -> Bool {
        guard !access.isUnrestricted, let pattern = GroupPattern(group.text) else { return true }
        return access.grants.contains { $0.covers(pattern) }
    }

    /// Whether a refusal of the present user is published as an event in a group: the user has a right there, and not
    /// too many of its refusals were published within this second.
    mutating func reportsRefusal(in group: GroupName, at now: Milliseconds) -> Bool {
        access.isUnrestricted || hasAnyRight(in: group) && refusalEvents.take(user, at: now)
    }

    /// Counts a denial, and returns it as a refusal.
    mutating func deny(
        _ detail: String, right: Right?, group: GroupName?, popup: String = ""
    ) -> CommandRefusal {
        denials.count(user, right)
        return CommandRefusal(.permissionDenied, "\(user.subject) \(detail)", group: group, popup: popup)
    }

    /// Decides on a subscription of this user. Returns the reason why it is denied; `nil`: it is allowed.
    mutating func denial(
        ofSubscription prefix: [UInt8], by subscriber: UserName?, _ sessions: borrowing ProducerSessions
    ) -> String? {
        guard !rules.isOpen || subscriber != nil else { return nil }
        let text = String(decoding: prefix, as: UTF8.self)
        let reason: String
        let right: Right?
        switch rules.access(of: subscriber).decision(onSubscription: text) {
        case .allowed:
            claimName(read: text, by: subscriber, sessions)
            return nil
        case .ownedProducer(let producer):
            if mayUse(producer, as: subscriber, by: .reading, sessions),
                producers.claim(producer, for: subscriber, by: .reading)
            {
                return nil
            }
            (reason, right) = ("uses the producer name of another user", nil)
        case .ownedClient(let client):
            let use = use(ofReadingBy: subscriber)
            let isFree = clients.mayUse(client, subscriber, by: use)
            if clients.claim(client, for: subscriber, by: use) { return nil }
            (reason, right) = (
                isFree
                    ? "another user without rights reads under the client's name, and loses it"
                    : "uses the client's name of another", nil
            )
        case .denied(let detail): (reason, right) = (detail, Channel.rightToRead(prefix))
        }
        denials.count(subscriber, right)
        deniedSubscriptions.record(text, reason, of: subscriber)
        return "\(subscriber.subject) subscribes to `\(text)`: \(reason)"
    }

    /// Returns the use of a client's name by a user that reads under it.
    private func use(ofReadingBy subscriber: UserName?) -> NameOwners<ClientToken>.Use {
        Right.allCases.contains(where: rules.access(of: subscriber).hasAnywhere) ? .readingByRight : .reading
    }

    /// Claims the name under which a user without restrictions reads, unless it belongs to another user.
    private mutating func claimName(
        read prefix: String, by subscriber: UserName?, _ sessions: borrowing ProducerSessions
    ) {
        switch UserAccess.owner(ofSubscription: prefix) {
        case .ownedProducer(let producer) where mayUse(producer, as: subscriber, by: .reading, sessions):
            _ = producers.claim(producer, for: subscriber, by: .reading)
        case .ownedClient(let client): _ = clients.claim(client, for: subscriber, by: use(ofReadingBy: subscriber))
        default: break
        }
    }

    /// Whether the decision on an earlier subscription would be different now. The subscription may claim a name that
    /// has become free.
    func wouldChange(
        _ prefix: [UInt8], isDenied: Bool, by subscriber: UserName?, _ sessions: borrowing ProducerSessions
    ) -> Bool {
        guard !rules.isOpen || subscriber != nil else { return isDenied }
        let isAllowed =
            switch rules.access(of: subscriber).decision(onSubscription: text(prefix)) {
            case .allowed: true
            case .ownedProducer(let producer):
                isDenied
                    ? mayUse(producer, as: subscriber, by: .reading, sessions)
                    : producers.isOwner(subscriber, of: producer)
            case .ownedClient(let client):
                clients.isOwner(subscriber, of: client) || isDenied && clients.owner(of: client) == nil
            case .denied: false
            }
        return isAllowed == isDenied
    }

    private func text(_ prefix: [UInt8]) -> String { String(decoding: prefix, as: UTF8.self) }
}

extension UserName? {
    /// The user as the subject of a sentence.
    fileprivate var subject: String { map { "the user `\($0)`" } ?? "a client without a key" }
}

extension Channel {
    /// Returns the right that is needed to read the topics with this beginning, as far as it names a channel.
    fileprivate static func rightToRead(_ prefix: [UInt8]) -> Right {
        let isOfEvents = [Channel.events, .eventsJSON].contains { prefix.starts(with: $0.prefix.utf8) }
        return isOfEvents ? .events : .watch
    }
}
