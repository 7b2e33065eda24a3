import PopupProtocol

/// The limits of a connection: sizes of queues and frames, and waiting times.
public struct ClientLimits: Hashable, Sendable {
    /// The maximum number of commands that wait to be sent; a further one fails with `queueFull`.
    public var queuedCommands = 4096
    /// The maximum size of the commands that wait to be sent, in bytes; a further one fails with `queueFull`.
    public var queuedBytes = 16 * 1024 * 1024
    /// The maximum size of the unsettled commands in an outbox file, in bytes; a further one fails with `outboxFull`.
    /// The file itself may temporarily have twice the size.
    public var outboxBytes = 64 * 1024 * 1024
    /// The maximum number of commands in one frame.
    public var batchCommands = 256
    /// The maximum size of several commands in one frame, in bytes; a longer command has a frame of its own.
    public var batchBytes = 64 * 1024
    /// The maximum size of one command in bytes; a longer one fails with `tooLarge`.
    public var commandBytes = Ingress.maxFrameBytes
    /// The maximum number of refusals of queued commands that are kept for `flush`; further ones are only counted.
    public var keptRefusals = 64
    /// The maximum number of unread events of a stream; with a further one, the stream ends with `slowConsumer`.
    public var queuedEvents = 4096
    /// The maximum number of groups of a stream of states; with a further one, the stream ends with `tooManyGroups`.
    public var groups = 100_000
    /// The time after which a state that a restarted broker has not repeated is removed: more than twice the broker's
    /// refresh interval of 5 s.
    public var staleStateTimeout: Duration = .seconds(12)
    /// The time without any message of the broker after which states are not confirmed any more: several times the second
    /// between two heartbeats. `nil`: states stay confirmed, and streams do not keep the last states.
    public var confirmationTimeout: Duration? = .seconds(5)
    /// The time that a stream of states waits for the answer to its first `sync` before it asks again; later times are
    /// longer. After this time, a stream of events checks its right, and so does a stream of states without an answer.
    public var syncTimeout: Duration = .seconds(2)
    /// The time between two leases of a renderer. It must be well below the 5 s after which a lease ends.
    public var leaseInterval: Duration = .seconds(1)
    /// The maximum number of names and patterns that one renderer follows; a further stream fails with
    /// `tooManyLeasedGroups`.
    public var leasedGroups = 256
    /// The maximum number of open streams; a further one fails with `tooManyStreams`.
    public var streams = 1024
    /// The longest time that a command waits to be sent and, with `Delivery.confirmed`, to be acknowledged.
    public var sendTimeout: Duration = .seconds(5)
    /// The longest time that a query waits for its reply.
    public var replyTimeout: Duration = .seconds(5)
    /// The longest time that `close` waits for the last frames to leave the machine.
    public var lingerTime: Duration = .seconds(1)

    /// Creates the default limits, which fit most applications.
    public init() {}
}
