import PopupProtocol

/// The renderers of a connection, by name.
struct Presences {
    private let interval: Duration
    private let groupsPerLease: Int
    private var renderers: [String: Presence] = [:]
    private var clients: [UInt64: String] = [:]

    init(limits: ClientLimits) {
        interval = limits.leaseInterval
        groupsPerLease = limits.leasedGroups
    }

    /// Adds a stream of a renderer.
    ///
    /// - Throws: The errors of `Presence.follow`.
    mutating func follow(_ stream: UInt64, _ subject: RendererSubject) throws(ClientError) {
        var renderer = renderers[subject.client] ?? Presence(client: subject.client)
        try renderer.follow(
            subject.groups, in: stream, reports: subject.isReporting, limit: groupsPerLease)
        renderers[subject.client] = renderer
        clients[stream] = subject.client
    }

    mutating func leave(_ stream: UInt64) {
        guard let client = clients.removeValue(forKey: stream) else { return }
        change(client) { $0.leave(stream) }
    }

    mutating func deliver(_ groupState: GroupState, in stream: UInt64) {
        guard let client = clients[stream] else { return }
        change(client) { $0.deliver(groupState, in: stream) }
    }

    mutating func setVisible(_ isVisible: Bool, client: String) {
        change(client) { $0.setVisible(isVisible) }
    }

    mutating func disconnect() {
        for client in renderers.keys { change(client) { $0.disconnect() } }
    }

    var deadline: ContinuousClock.Instant? {
        renderers.values.lazy.compactMap { $0.deadline(every: interval) }.min()
    }

    /// Sends leases and reports that are due, in frames.
    ///
    /// - Parameter send: Sends a frame; returns false if no more can be sent now.
    /// - Returns: Whether everything was sent.
    mutating func sendDue<Failure: Error>(
        at now: ContinuousClock.Instant, _ send: ([WireCommand.OneOf_Command]) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        for client in renderers.keys.sorted() {
            while let dispatch = renderers[client]?.dispatch(every: interval, at: now) {
                guard try send(dispatch.commands) else { return false }
                change(client) { $0.sent(dispatch, at: now) }
            }
        }
        return true
    }

    /// The commands that are sent when the connection closes.
    var finalLeases: [WireCommand.OneOf_Command] {
        renderers.sorted { $0.key < $1.key }.compactMap { $0.value.finalLease.map { .lease($0) } }
    }

    private mutating func change(_ client: String, _ body: (inout Presence) -> Void) {
        body(&renderers[client, default: Presence(client: client)])
        if renderers[client]?.isOver == true { renderers[client] = nil }
    }
}

/// The renderer that a stream of states serves.
struct RendererSubject {
    var client: String
    var groups: [String]
    /// Whether a report is sent when the loop receives a state.
    var isReporting: Bool
}
