public import PopupFleet

/// The watch of a node over its broker's loop: one that stands still must not keep the log.
public struct BrokerWatch: Sendable {
    /// The time of the last turn of the node; `nil` before the first.
    private var lastTurn: Int64?

    /// Creates a watch.
    public init() {}

    /// Passes on to the node that the broker's loop goes on; called at each turn of the node. A broker that waits for a batch
    /// does not hang. After a pause of the whole process, the loop has the time for a turn from now on.
    ///
    /// - Parameters:
    ///   - proof: What the broker's loop reads and marks in each turn.
    ///   - node: The node of the broker.
    ///   - waits: Whether the broker waits for a batch.
    ///   - boot: The time of the turn, in ms of the clock since the machine began.
    public mutating func look<State>(
        at proof: TenureProof, of node: inout FleetNode<State>, waits: Bool, boot: Int64
    ) {
        let pause = node.timing.hang / 4
        let hasPaused = lastTurn.map { boot - $0 > pause } ?? false
        lastTurn = boot
        guard let lastOfBroker = proof.lastTurn(at: boot, wakingAfter: pause) else { return }
        node.recordBrokerTurn(at: waits || hasPaused ? boot : lastOfBroker)
    }
}

extension TenureProof {
    /// Records what a node proves to its broker: after each of its steps, before anybody goes on.
    public func record<State>(_ node: FleetNode<State>) {
        if case .ended = node.role { return end() }
        set(confirmedUntil: node.confirmedUntil, horizon: node.horizon)
    }
}
