import PopupProtocol

/// The bounds of a client: what it holds, how much it gathers, how long it waits.
public struct ClientLimits: Hashable, Sendable {
    /// Commands that wait to be sent; one more is refused `queueFull`.
    public var queuedCommands = 4096
    /// Bytes of the commands that wait to be sent; more are refused `queueFull`.
    public var queuedBytes = 16 * 1024 * 1024
    /// Bytes of the commands in an outbox file that are not settled; more are refused `outboxFull`. The file itself may
    /// take twice that for a while.
    public var outboxBytes = 64 * 1024 * 1024
    /// Commands gathered in a frame.
    public var batchCommands = 256
    /// Bytes gathered in a frame; a longer command goes alone.
    public var batchBytes = 64 * 1024
    /// Bytes of one command; a longer one is refused `tooLarge`.
    public var commandBytes = Ingress.maximumFrameBytes
    /// Refusals kept for `flush` of commands that nobody waited for; of more it tells the number.
    public var keptRefusals = 64
    /// Events that wait to be read from a stream; with one more the stream ends in `slowConsumer`.
    public var queuedEvents = 4096
    /// Groups that a stream of screens follows; with one more the stream ends in `tooManyGroups`.
    public var groups = 100_000
    /// A restarted broker repeats what it shows. A screen that it has not repeated for so long is over: more than
    /// twice the broker's refresh interval of 5 s.
    public var staleStateTimeout: Duration = .seconds(12)
    /// How long a stream of screens waits for the answer when it asks for what it missed, before it asks again; then
    /// longer and longer.
    public var syncTimeout: Duration = .seconds(1)
    /// Between two leases of a renderer: well below the 5 s after which the broker gives a silent one up.
    public var leaseInterval: Duration = .seconds(1)
    /// Names and patterns that one renderer follows; with one more a stream is refused `tooManyLeasedGroups`.
    public var leasedGroups = 256
    /// Streams open at a time; one more is refused `tooManyStreams`.
    public var streams = 1024
    /// How long a command waits for the broker: to be sent and, with `Delivery.confirmed`, to be acknowledged.
    public var sendTimeout: Duration = .seconds(5)
    /// How long a query waits for its reply.
    public var replyTimeout: Duration = .seconds(5)
    /// How long `close` waits for the last frames to leave the machine.
    public var lingerTime: Duration = .seconds(1)

    /// The limits that fit most applications.
    public init() {}
}
