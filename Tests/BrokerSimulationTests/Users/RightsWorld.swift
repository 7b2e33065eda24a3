import PopupAccess
@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A broker with users whose rights are drawn, and who try everything, several of them in one batch. What comes of it is
/// compared with the reference: whoever caused something was allowed to, and whoever read something, too.
final class RightsWorld {
    private static let steps = 120
    private static let groups = ["a", "a/b", "a/b/c", "ab", "ab/c", "g"]
    private static let patterns = groups + ["a/*", "a/b/*", "ab/*", "*"]
    private static let users = ["ann", "bob", "cid", ""]
    private static let producers = ["ann": "a1", "bob": "b2", "cid": "c3", "": "d4"]
        .mapValues { String(repeating: $0, count: 16) }
    private static let clients = ["left", "right"]
    /// It may do everything, and follows all events.
    private static let chief = UserName("chief")!

    private let setting: Setting
    private let journal: SimulatedJournal
    private var dice: Dice
    private var time: Milliseconds = 0
    private var starts = 0
    private var broker: SimulatedBroker!
    private var rights = ReferenceRights(grants: [:])
    private var isFailing: Failure?
    private var made = 0
    private var lastKey: (group: String, key: String)?
    private var sequences: [String: UInt64] = [:]
    /// Who reads at each connection; those that are not here are the chief's.
    private var readers: [ConnectionID: String] = [:]
    /// The popups that were asked for, and whether their users might.
    private var popups: [String: (user: String, isAllowed: Bool)] = [:]
    /// Who has read each name's acknowledgements or replies since the start.
    private var owners: [String: String] = [:]
    /// What came about, so that a run that shows nothing is noticed.
    private(set) var marks: [String: Int] = [:]

    init(seed: UInt64) {
        setting = Setting(seed: seed, hasPlugins: false)
        journal = SimulatedJournal(.full, seed: seed)
        dice = Dice(seed, for: "users")
    }

    /// Returns what was wrong first.
    func run() -> Failure? {
        do {
            try start(try drawRules())
            for _ in 0..<Self.steps where isFailing == nil { try step() }
            try rest()
        } catch {
            return Failure(check: "the broker goes on", detail: "\(error)")
        }
        return isFailing
    }

    private func fail(_ check: String, _ detail: String) {
        if isFailing == nil { isFailing = Failure(check: check, detail: detail) }
    }

    // MARK: - The broker

    private func start(_ rules: AccessRules) throws {
        let fuse = Fuse()
        let transport = SimulatedTransport(
            fuse: fuse, onPublish: { [unowned self] in check($0) },
            onSend: { [unowned self] in for connection in $1 { check($0, readBy: connection) } })
        journal.crash()
        journal.fuse = fuse
        var configuration = BrokerConfiguration()
        configuration.access = rules
        starts += 1
        let committer = SimulatedCommitter(setting, journal: journal, process: starts) { [unowned self] in time }
        broker = try SimulatedBroker(
            configuration, transport: transport, journal: journal, fuse: fuse,
            committer: setting.isCommittingBeside ? committer : nil, workOfTurn: setting.workOfTurn, at: clock)
        readers.removeAll()
        owners.removeAll()
        transport.connect("chief", of: Self.chief, prefixes: ["events/"])
        try turn()
    }

    private var clock: Milliseconds { 1_774_745_980_000 + time }

    private func turn() throws {
        for _ in 0..<10_000 where try !broker.loop.turn(at: clock) { return }
        fail("the broker waits when there is nothing to do", "at \(time)")
    }

    /// Lets the broker do all that was sent.
    private func rest() throws {
        repeat {
            time += 50
            try turn()
        } while broker.transport.isPending || broker.committer?.endsAt != nil
    }

    private func step() throws {
        switch dice.below(40) {
        case 0:
            try rest()
            var configuration = BrokerConfiguration()
            configuration.access = try drawRules()
            try broker.loop.reconfigure(configuration, timeZones: SimulatedBroker.timeZones)
            owners.removeAll()
            marks["rules changed", default: 0] += 1
        case 1:
            try rest()
            try broker.loop.close()
            try start(try drawRules())
        case 2...10: subscribe()
        case 11...20:
            time += Milliseconds(dice.pick([0, 1, 20, 400]))
            try turn()
        default: send()
        }
    }

    // MARK: - Users

    private func drawRules() throws -> AccessRules {
        rights.grants = [:]
        for user in Self.users { rights.grants[user] = (0..<dice.number(0...3)).map { _ in drawGrant() } }
        var roles = rights.grants
        roles["anonymous"] = roles.removeValue(forKey: "")
        roles["chief"] = [.everything]
        let users = roles.keys.sorted().filter { $0 != "anonymous" }
        return try AccessRules(
            roles: roles, users: users.map { .init(name: UserName($0)!, roles: [$0]) }, anonymous: ["anonymous"])
    }

    private func drawGrant() -> Grant {
        var grant = Grant(
            groups: (0..<dice.number(1...2)).map { _ in GroupPattern(dice.pick(Self.patterns))! }, rights: [])
        for _ in 0..<dice.number(1...5) { grant.rights.formUnion(Rights(dice.pick(Right.allCases))) }
        if dice.oneIn(3) { grant.maxPriority = Int32(dice.number(-2...3)) }
        grant.exclusive = dice.pick([.none, .none, .group, .all])
        if grant.exclusive == .all { grant.groups = [.every] }
        grant.ownPopupsOnly = dice.oneIn(2)
        return grant
    }

    private func subscribe() {
        let user = dice.pick(Self.users)
        let channel = dice.pick([
            "state", "state+json", "state+frame", "events", "events+json", "acks", "replies", "sync",
        ])
        let name: String =
            switch channel {
            case "acks": Self.producers[dice.pick(Self.users)]! + "/"
            case "replies": dice.pick(Self.clients) + "/"
            case "sync": "\(dice.pick(Self.clients))/\(user)-\(made)/\(dice.pick(Self.groups + ["*"]))/"
            default: dice.pick(Self.groups + ["", "a/b/", "g/", "a/", "ab/"]) + dice.pick(["", "/"])
            }
        let prefix = dice.oneIn(12) ? dice.pick(["", "state", "feed/", "heartbeat/"]) : "\(channel)/\(name)"
        made += 1
        let connection = broker.transport.connect("reader \(made)", of: UserName(user), prefixes: [prefix])
        readers[connection] = user
    }

    private func send() {
        let user = dice.pick(Self.users)
        let commands = (0..<dice.number(1...4)).map { _ in command(of: user) }
        let handwriting: Handwriting = dice.pick([.binary, .json, .withTopic])
        broker.transport.arrive(handwriting.frames(commands), of: UserName(user))
    }

    private func command(of user: String) -> WireCommand {
        let group = dice.pick(Self.groups)
        let (pattern, known) = (dice.pick(Self.patterns), popups.keys.sorted())
        let id = known.isEmpty ? "none" : known[dice.number(max(0, known.count - 12)...known.count - 1)]
        let named = dice.oneIn(2) ? "" : group
        let client = dice.pick(Self.clients)
        var command = WireCommand()
        switch dice.below(20) {
        case 0...8:
            made += 1
            let popup = WirePopup.with {
                $0.id = "\(user)-\(made)"
                $0.group = group
                $0.priority = Int32(dice.number(-3...4))
                $0.exclusive = dice.pick([.none, .none, .none, .none, .group, .all])
                if dice.oneIn(3) {
                    $0.collapseKey = dice.pick(["k", "l"])
                    // Often that of another user, in the same moment.
                    if dice.oneIn(2), let lastKey { ($0.group, $0.collapseKey) = lastKey }
                    lastKey = ($0.group, $0.collapseKey)
                }
                if dice.oneIn(8) { $0.delayMs = 60 }
                if dice.oneIn(8) { $0.flow.key = "f" }
                if dice.oneIn(2) { $0.durationMs = UInt32(dice.number(20...900)) }
            }
            popups[popup.id] = (user, rights.mayShow(user, popup))
            command.show = popup
        case 9, 10:
            command.update.id = id
            command.update.group = named
            if dice.oneIn(2) { command.update.priority = Int32(dice.number(-3...4)) }
            command.update.text = "u"
        case 11, 12:
            command.dismiss.id = id
            command.dismiss.group = named
            if dice.oneIn(2) { command.dismiss.client = client }
        case 13: command.advance.group = group
        case 14:
            command.clear.selector.group = pattern
            if dice.oneIn(2) { command.clear.selector.producer = Self.producers[dice.pick(Self.users)]! }
        case 15:
            command.suspend.group = pattern
            command.suspend.token = dice.pick(["s", "t"])
        case 16: command.resume.token = dice.pick(["s", "t"])
        case 17:
            command.setSession.group = group
            command.setSession.session = dice.pick(["", "s"])
        default:
            command.query.client = client
            command.query.nonce = "\(user)-q"
            if dice.oneIn(2) { command.query.explain.id = id } else { command.query.list.selector.group = pattern }
        }
        if dice.oneIn(2) {
            let producer = Self.producers[dice.oneIn(6) ? dice.pick(Self.users) : user]!
            command.producer = producer
            if dice.oneIn(2) {
                sequences[producer, default: 0] += 1
                command.sequence = sequences[producer]!
            }
        }
        return command
    }

    // MARK: - Checks

    private func check(_ message: SimulatedTransport.Message) {
        let topic = String(decoding: message.topic, as: UTF8.self)
        guard topic.hasPrefix("events/"), let event = try? WireEvent(serializedBytes: message.body) else { return }
        let told = "\(event.by) in \(event.group): \(event)"
        if case .refused(let refused) = event.event {
            marks["refused \(refused.reason)", default: 0] += 1
            if !event.by.isEmpty, !rights.knows(event.by, event.group) {
                fail("events tell of refusals of users with a right in the group", told)
            }
            if refused.reason == .permissionDenied, refused.detail.contains("needs the right show"),
                let popup = popups[event.popup], popup.isAllowed
            {
                fail("whoever has the right is not denied", told)
            }
            return
        }
        guard let popup = popups[event.popup] else { return fail("an event is of a popup that was asked for", told) }
        if !popup.isAllowed { fail("what is not allowed is not shown", "\(popup.user) \(told)") }
        guard !event.by.isEmpty, event.by != Self.chief.text else { return }
        if case .closed(let closed) = event.event { marks["closed \(closed.reason)", default: 0] += 1 }
        if case .updated = event.event { marks["updated", default: 0] += 1 }
        if !rights.mayCause(event, of: popup.user) {
            fail("whoever causes something is allowed to", "\(told) of \(popup.user), \(rights.grants[event.by] ?? [])")
        }
    }

    private func check(_ message: SimulatedTransport.Message, readBy connection: ConnectionID) {
        guard let user = readers[connection] else { return }
        let topic = String(decoding: message.topic, as: UTF8.self)
        let parts = topic.split(separator: "/").map(String.init)
        marks["read \(parts[0])", default: 0] += 1
        if !rights.mayRead(user, topic) {
            fail("whoever reads something is allowed to", "\(user) \(topic), \(rights.grants[user] ?? [])")
        }
        guard ["acks", "replies", "sync"].contains(parts[0]) else { return }
        // Those of the channels of replies and syncs are names of clients.
        let name = "\(parts[0] == "acks") \(parts[1])"
        if let owner = owners.updateValue(user, forKey: name), owner != user {
            fail("a name belongs to one user", "\(user) and \(owner) \(topic)")
        }
        guard parts[0] == "replies", let reply = try? WireReply(serializedBytes: message.body) else { return }
        if parts[2] != "\(user)-q" { fail("only who has asked is answered", "\(user) \(topic)") }
        switch reply.reply.result {
        case .list(let list):
            for popup in list.popups where !rights.allows(user, .query, in: popup.group) {
                fail("a list tells what the user may ask for", "\(user) \(popup.id)")
            }
        case .explain(let explanation) where explanation.phase != .unknown:
            if !rights.allows(user, .query, in: explanation.group) {
                fail("nobody is told of a popup that it may not see", "\(user) \(explanation.id)")
            }
        default: break
        }
    }
}
