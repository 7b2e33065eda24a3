/// The requests of a broker to the node beside it, until the node takes them: a batch, and a later horizon.
public struct BrokerRequests: Sendable {
    /// The beginning of a request.
    public enum Beginning: Sendable {
        /// The batch is on its way to the log. It is in when `.committed` comes.
        case append([FleetEffect])
        /// The batch can never be in the log, which has promised that nothing so early comes any more.
        case tooEarly
        /// A later horizon is on its way to the log.
        case reserve([FleetEffect])
    }

    private var batch: (commands: [UInt8], time: Int64)?
    /// The broker's clock when it asked for a later horizon, the time until which no timer was left, and the horizon then.
    private var reservation: (clock: Int64, handled: Int64, horizon: Int64)?

    /// Creates an empty list.
    public init() {}

    /// Adds a batch that the broker applies at a time. One at a time.
    public mutating func append(_ commands: [UInt8], of time: Int64) { batch = (commands, time) }

    /// Adds the request for a later horizon.
    ///
    /// - Parameters:
    ///   - clock: The broker's clock: no later batch is earlier.
    ///   - handled: The time until which no timer is left to handle.
    ///   - horizon: The present one; `nil` if the node does not own the log, which is asked for nothing then.
    public mutating func reserve(from clock: Int64, handled: Int64, after horizon: Int64?) {
        reservation = horizon.map { (clock, handled, $0) }
    }

    /// Removes all requests.
    public mutating func removeAll() {
        batch = nil
        reservation = nil
    }

    /// Begins what the node takes now, the batch first; `nil` for nothing.
    public mutating func begin<State>(on node: inout FleetNode<State>, at moment: FleetMoment) -> Beginning? {
        guard node.canAppend(at: moment) else { return nil }
        if let (commands, time) = batch.take() {
            return node.append(commands, of: time, at: moment).map { .append($0) } ?? .tooEarly
        }
        // An append has moved it: the broker asks again if that is not enough.
        guard let (clock, handled, horizon) = reservation.take(), node.horizon == horizon else { return nil }
        return .reserve(node.reserve(from: clock, handled: handled, at: moment))
    }
}

/// The outcome of a batch.
public enum BatchOutcome: Hashable, Sendable {
    /// It is in the log, at an index, and applied.
    case committed(index: UInt64)
    /// It is not in the log: the node takes none now.
    case notTaken
    /// It is not in the log: it is larger than an entry may be.
    case tooLarge
    /// It is not in the log: the log has promised that nothing so early comes any more.
    case tooEarly
    /// The node has ended before it knew: it may be in the log.
    case unknown
}
