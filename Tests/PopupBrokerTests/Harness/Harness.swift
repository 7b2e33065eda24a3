import Logging
import PopupAccess
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Synchronization

/// A broker under a clock that only the test moves, with one client on an in-process transport.
final class Harness {
    private var loop: BrokerLoop
    private let transport: InProcessTransport
    let client: InProcessClient
    private var now: Milliseconds

    init(
        _ configuration: BrokerConfiguration = BrokerConfiguration(), journal: any Journal = MemoryJournal(),
        plugins: [any BrokerPlugin] = [], subscriptions: [String] = [], committer: (any Committer)? = nil,
        at start: Milliseconds = 0, log: LogLines? = nil
    ) throws {
        now = start
        transport = InProcessTransport()
        client = transport.makeClient()
        let logger = log?.logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        loop = try BrokerLoop.start(
            configuration: configuration, timeZones: Self.timeZones(of: configuration), transport: transport,
            journal: journal, plugins: plugins, logger: logger,
            committer: committer, at: start)
        for prefix in subscriptions { client.subscribe(to: prefix) }
        try turn()
    }

    /// Allows the commands of a frame to go through so many popups and groups only.
    func limitVisits(ofFrame visits: Int) { loop.limit(visitsOfFrame: visits) }

    func makeClient(user: UserName? = nil) -> InProcessClient { transport.makeClient(user: user) }

    var epoch: UInt64 { loop.epoch }
    var stats: WireStatsResult { loop.currentStats() }
    var nextDeadline: Milliseconds? { loop.nextDeadline }
    var time: Milliseconds { loop.now }
    /// The number of popups and groups visited so far.
    var visits: Int { loop.state.scheduler.visits }

    /// The patterns of the renderers' leases, each followed by a line feed.
    var leasedPatterns: [String] {
        var all: [String] = []
        loop.state.scheduler.forEachLease { _, patterns in
            all.append(patterns.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        return all
    }

    /// The scheduler's whole state.
    func schedulerState() -> [UInt8] {
        var bytes: [UInt8] = []
        loop.state.appendSchedulerState(to: &bytes)
        return bytes
    }

    /// Whose frame was read last.
    var sender: UserName? { loop.sender }

    /// What is known of each producer, the longest silent first.
    func sessions() -> [[UInt8]] {
        var records: [[UInt8]] = []
        loop.state.producers.visit { record in
            var bytes: [UInt8] = []
            record.append(to: &bytes)
            records.append(bytes)
        }
        return records
    }

    /// Lets the broker do what there is to do now.
    func turn() throws {
        while try loop.turn(at: now) {}
    }

    /// Lets the broker do one turn. Returns whether there may be more to do at once.
    func turnOnce() throws -> Bool { try loop.turn(at: now) }

    /// Lets time go on to `time`, the broker waking whenever it wants to.
    func advance(to time: Milliseconds) throws {
        while let next = loop.nextDeadline, next <= time {
            now = max(now, next)
            try turn()
        }
        now = time
        try turn()
    }

    /// Lets so much time pass, the broker waking whenever it wants to.
    func advance(by time: Milliseconds) throws { try advance(to: now + time) }

    /// Lets time go on to `time`, the broker waking only then.
    func jump(to time: Milliseconds) throws {
        now = time
        try turn()
    }

    /// Lets time go on to `time`; the broker has not woken yet.
    func jumpWithoutTurn(to time: Milliseconds) { now = time }

    /// Sends JSON commands, each in a frame of its own, and lets the broker handle them.
    func send(_ commands: String...) throws {
        for command in commands { client.send(Array(command.utf8)) }
        try turn()
    }

    /// Sends a binary command and lets the broker handle it.
    func send(_ command: WireCommand) throws {
        client.send(try command.serializedBytes())
        try turn()
    }

    func setPolicies(_ policies: [WireSetPolicy]) throws { try loop.setPolicies(policies) }

    func reconfigure(_ configuration: BrokerConfiguration) throws {
        try loop.reconfigure(configuration, timeZones: Self.timeZones(of: configuration))
    }

    private static let systemTimeZones = LoadedTimeZones(.system)

    /// The system's are read once for all tests.
    private static func timeZones(of configuration: BrokerConfiguration) -> LoadedTimeZones {
        configuration.timeZones == .system ? systemTimeZones : LoadedTimeZones(configuration.timeZones)
    }

    func close() throws { try loop.close() }

    func perform(_ command: WireCommand) throws -> CommandRefusal? {
        let outcome = Mutex<CommandRefusal?>(nil)
        try loop.perform(command, at: now) { refusal in outcome.withLock { $0 = refusal } }
        return outcome.withLock { $0 }
    }

    /// Begins a call, and passes its outcome on; the loop has not turned yet.
    func call(_ command: WireCommand, _ done: @escaping PendingCalls.Completion) throws {
        try loop.perform(command, at: now, done)
    }

    /// Begins a reload of a configuration, and passes its outcome on; the loop has not turned yet.
    func reload(_ configuration: BrokerConfiguration, _ done: @escaping Reload.Completion) {
        loop.perform(Reload(configuration, timeZones: Self.timeZones(of: configuration), done))
    }

    /// What the client has received since the last look: topic and JSON body, binary bodies as their JSON.
    func received() throws -> [String] {
        try receivedMessages(of: client).map { try "\($0.topic) \(Self.json($0))" }
    }

    func receivedMessages(of client: InProcessClient) -> [InProcessClient.Message] {
        var messages: [InProcessClient.Message] = []
        while let message = client.receive() { messages.append(message) }
        return messages
    }

    /// What the client has received, states in short: `group#revision active remaining cause`.
    func receivedStates() throws -> [String] {
        try receivedMessages(of: client).map { try Self.short(Self.state($0)) }
    }

    /// What the client has received, events in short: `popup event`.
    func receivedEvents() throws -> [String] {
        try receivedMessages(of: client).map { message in
            let encoding: WireEncoding = message.topic.hasPrefix("events+json/") ? .json : .binary
            return Self.short(try encoding.decode(message.body, as: WireEvent.self))
        }
    }

    static func state(_ message: InProcessClient.Message) throws -> WireGroupState {
        let encoding: WireEncoding = message.topic.hasPrefix("state+json/") ? .json : .binary
        return try encoding.decode(message.body)
    }

    static func short(_ state: WireGroupState) -> String {
        var words = ["\(state.group)#\(state.revision)"]
        if state.hasActive { words.append(state.active.id) }
        if state.active.hasRemainingMs { words.append("\(state.active.remainingMs)ms") }
        if state.waiting > 0 { words.append("+\(state.waiting)") }
        if state.paused > 0 { words.append("~\(state.paused)") }
        if state.hasCause { words.append("(\(state.cause.kind) \(state.cause.popup))") }
        return words.joined(separator: " ")
    }

    static func short(_ event: WireEvent) -> String {
        let what: String
        switch event.event {
        case .closed(let closed):
            let action = closed.action.isEmpty ? "" : " \(closed.action)"
            what = "closed \(closed.reason)\(action) after \(closed.displayedMs)ms"
        case .refused(let refused): what = "refused \(refused.reason.name)"
        case .shown(let shown): what = "shown \(shown.attempt)"
        case .queued: what = "queued"
        case .paused: what = "paused"
        case .resumed: what = "resumed"
        case .updated: what = "updated"
        case .offered: what = "offered"
        case nil: what = "nothing"
        }
        return "\(event.time) \(event.group) \(event.popup) \(what)"
    }

    private static func json(_ message: InProcessClient.Message) throws -> String {
        let channel = Channel(rawValue: String(message.topic.prefix { $0 != "/" }))
        return switch channel {
        case .state: try WireGroupState(serializedBytes: message.body).jsonString()
        case .events: try WireEvent(serializedBytes: message.body).jsonString()
        case .heartbeat: try WireHeartbeat(serializedBytes: message.body).jsonString()
        case .acks: try WireAck(serializedBytes: message.body).jsonString()
        case .sync: try WireSync(serializedBytes: message.body).jsonString()
        case .feed: try WireFeed(serializedBytes: message.body).jsonString()
        case .replies: try WireReply(serializedBytes: message.body).jsonString()
        default: String(decoding: message.body, as: UTF8.self)
        }
    }
}
