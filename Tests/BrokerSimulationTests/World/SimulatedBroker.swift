import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf

/// One process: the real loop's loop at simulated ports.
final class SimulatedBroker {
    var loop: BrokerLoop
    let transport: SimulatedTransport
    let fuse: Fuse
    let committer: SimulatedCommitter?

    init(
        _ configuration: BrokerConfiguration, transport: SimulatedTransport, journal: SimulatedJournal, fuse: Fuse,
        committer: SimulatedCommitter? = nil, plugins: [any BrokerPlugin] = [], workOfTurn: Int = TurnBudget.ofTurn,
        at time: Milliseconds, wallClockLead: Milliseconds = 0
    ) throws {
        self.transport = transport
        self.fuse = fuse
        self.committer = committer
        loop = try BrokerLoop.start(
            configuration: configuration, timeZones: Self.timeZones, transport: transport, journal: journal,
            plugins: plugins,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }, committer: committer,
            at: time, wallClockLead: wallClockLead)
        loop.limit(workOfTurn: workOfTurn)
    }

    static let timeZones = LoadedTimeZones(.system)

    var groups: [GroupIndex] { loop.groups }

    func name(of group: GroupIndex) -> String { loop.name(of: group) }

    var revisions: [String: UInt64] {
        var revisions: [String: UInt64] = [:]
        for group in groups {
            revisions[name(of: group)] = loop.state.scheduler.state(of: group, at: loop.now)?.revision
        }
        return revisions
    }

    /// All that live.
    var popups: [PopupSummary] {
        loop.state.list(Selector(), text: [UInt8]().span.bytes, limit: .max, at: loop.now)
    }

    /// The patterns of each renderer that has a lease.
    var leases: [String: String] {
        var leases: [String: String] = [:]
        loop.state.scheduler.forEachLease { client, patterns in
            leases[client.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }] =
                patterns.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        return leases
    }

    func phase(of id: String) -> Phase? {
        loop.state.scheduler.explain(popup: Array(id.utf8).span.bytes, at: loop.now).phase
    }

    /// The scheduler's whole state.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        loop.state.appendSchedulerState(to: &bytes)
        return bytes
    }

    /// What it remembers of producers, as a snapshot has it.
    var producers: [UInt8] {
        var log = CommandLog()
        loop.state.producers.append(to: &log)
        return log.bytes
    }

    /// What it would tell of a group, without what differs between two tellings.
    func lasting(_ group: GroupIndex) -> WireGroupState { loop.lasting(group) }
}

extension BrokerLoop {
    var groups: [GroupIndex] { mutating get { state.groups(withPrefix: [UInt8]().span.bytes, limit: .max) } }

    func name(of group: GroupIndex) -> String {
        var name: [UInt8] = []
        state.scheduler.appendName(of: group, to: &name)
        return String(decoding: name, as: UTF8.self)
    }

    /// The states that it would publish, one for each group, in any order.
    var lastingStates: [WireGroupState] {
        (0..<state.scheduler.groupCapacity).map { GroupIndex(number: $0) }
            .filter { state.scheduler.state(of: $0, at: now) != nil }.map { lasting($0) }
    }

    /// What it would tell of a group, without what differs between two tellings.
    func lasting(_ group: GroupIndex) -> WireGroupState {
        guard let view = state.scheduler.state(of: group, at: now) else { return WireGroupState() }
        return .with {
            $0.epoch = epoch
            $0.group = name(of: group)
            $0.revision = view.revision
            $0.waiting = UInt32(view.waiting)
            $0.paused = UInt32(view.paused)
            guard let active = view.active else { return }
            var content: [UInt8] = []
            state.scheduler.appendActiveContent(of: group, to: &content)
            $0.offered = active.isOffered
            $0.active = (try? WirePopup(serializedBytes: content)) ?? WirePopup()
            $0.active.remainingMs = 0
            $0.active.attempt = active.attempt
            $0.active.sinceRevision = active.sinceRevision
        }
    }
}
