public import PopupFleet

/// The node beside a broker, as the broker's journal uses it.
public protocol BrokerNode: AnyObject {
    /// Waits until the tenure begins, and returns what the broker begins with; `nil` if the node ends before that.
    func takeStart() -> TenureStart?

    /// Appends a batch that the broker applies at a time. Returns when its outcome is known, or the node has ended. Called
    /// from another thread than the other functions; one at a time.
    func commit(_ commands: [UInt8], of time: Int64) -> BatchOutcome

    /// The maximum size of a batch in bytes.
    var maxBatchBytes: Int { get }

    /// The time until which timers may be handled without a batch.
    var horizon: Int64 { get }

    /// Asks for a later horizon, and returns at once.
    ///
    /// - Parameters:
    ///   - clock: The broker's clock: the horizon is to be later, and no later batch is earlier.
    ///   - handled: The time until which no timer is left to handle.
    func reserve(from clock: Int64, handled: Int64)

    /// Hands the log over, and returns when that is done, or has taken too long.
    ///
    /// - Parameter time: The time until which the broker has handled timers.
    func handOver(handled time: Int64)
}
