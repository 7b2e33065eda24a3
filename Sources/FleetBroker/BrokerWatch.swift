public import PopupFleet

/// The supervision of a broker's loop by its node: a broker that hangs must not keep the log.
public struct BrokerWatch: Sendable {
    /// The time of the last turn of the node; `nil` before the first.
    private var lastTurn: Int64?

    /// Creates a watch.
    public init() {}

    /// Reports to the node that the broker's loop runs; called at each turn of the node. A broker that waits for a batch does
    /// not hang. After a pause of the whole process, the time for a turn of the loop starts again.
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
    /// Records what a node proves to its broker: after each step of the node, before the broker continues.
    public func record<State>(_ node: FleetNode<State>) {
        if case .ended = node.role { return end() }
        set(confirmedUntil: node.confirmedUntil, horizon: node.horizon)
    }
}
