import PopupProtocol
import PopupScheduling

/// Leases as the broker has them, against what it heard: who renews keeps it, who is silent loses it in time.
struct LeaseWatch {
    /// In ms: so much later than it should a lease may end, after a commit that failed or a broker that did not listen.
    private static let slack: Milliseconds = 2500
    /// In ms: who takes no turn for longer may have been stopped.
    private static let pause: Milliseconds = 1000

    private var leases: [String: String] = [:]
    /// When a lease was certainly renewed last.
    private var renewed: [String: Milliseconds] = [:]
    /// When the last command came that may have renewed it.
    private var heard: [String: Milliseconds] = [:]
    /// What came in the present turn.
    private var present: [WireCommand] = []
    /// What came and may not be applied yet.
    private var underWay: [WireCommand] = []
    private var ended: Set<String> = []
    private var listensSince: Milliseconds = 0
    private var lastTurn: Milliseconds = 0

    init() {}

    /// The broker takes a command.
    mutating func note(_ command: WireCommand) {
        guard case .lease = command.command else { return }
        present.append(command)
        underWay.append(command)
    }

    /// A lease that ends is committed.
    mutating func noteEnd(of client: String, at time: Milliseconds) throws(Failure) {
        ended.insert(client)
        // Somebody said so, or the broker itself.
        guard !underWay.contains(where: { $0.lease.client == client }) else { return }
        let silence = time - (renewed[client] ?? 0)
        guard silence < Scheduler.leaseDuration else { return }
        throw Failure(
            check: "who renews keeps its lease", detail: "\(client) is lost at \(time), \(silence) ms after it renewed")
    }

    /// A batch could not be committed: what should have ended may be there still.
    mutating func noteRefusedBatch() { listensSince = .max }

    /// A process has begun: nobody could be heard before.
    mutating func begin(_ leases: [String: String], at now: Milliseconds) {
        self = LeaseWatch()
        self.leases = leases
        renewed = leases.mapValues { _ in now }
        listensSince = now
        lastTurn = now
    }

    /// A turn is over.
    ///
    /// - Parameter isApplied: All that came is.
    mutating func settle(_ leases: [String: String], isApplied: Bool, at now: Milliseconds) throws(Failure) {
        defer {
            self.leases = leases
            present.removeAll()
            if isApplied { underWay.removeAll() }
            ended.removeAll()
            lastTurn = now
        }
        if now - lastTurn > Self.pause || listensSince == .max { listensSince = now }
        for client in self.leases.keys.sorted() where leases[client] == nil && !ended.contains(client) {
            throw Failure(check: "the end of a lease is committed", detail: "\(client) at \(now)")
        }
        for command in present {
            let client = command.lease.client
            heard[client] = now
            let patterns = command.lease.groups.map { "\($0)\n" }.joined()
            // One that has a number is told again without meaning anything.
            if command.sequence == 0, leases[client] == patterns { renewed[client] = now }
            if self.leases[client] == nil, leases[client] != nil { renewed[client] = now }
        }
        for client in leases.keys.sorted() {
            let since = max(heard[client] ?? 0, listensSince)
            guard now - since > Scheduler.leaseDuration + Self.slack else { continue }
            throw Failure(
                check: "who is silent loses its lease", detail: "\(client) at \(now), nothing was heard since \(since)")
        }
    }
}
