import PopupProtocol
import PopupScheduling

/// A run: what is done to the broker from outside, in order of time. All else follows from the seed.
struct Script: Equatable, Sendable {
    var seed: UInt64
    var items: [Item]
}

/// Something that is done at a time, in ms since the run began.
struct Item: Equatable, Sendable {
    var at: Milliseconds
    var deed: Deed
}

enum Deed: Equatable, Sendable {
    /// A client sends commands in one frame. A producer sends a lone `show` until it has seen that it happened.
    case send(String, [WireCommand])
    /// A client sends a frame that is no command.
    case sendNonsense(String, [UInt8])
    /// A producer with acknowledgements sends another command under a sequence that is settled.
    case contradict(String)
    /// A producer with acknowledgements is started again: it takes another id.
    case startAgain(String)
    /// Another thread of the broker's process calls.
    case perform(WireCommand)
    /// The broker's configuration is read again, with these policies.
    case reconfigure([WireSetPolicy])

    /// The broker's process ends at a point, for so long, and the wall clock has been set by so much when it is back.
    case crash(CrashPoint, down: Milliseconds, clock: Milliseconds)
    /// The broker's machine fails at a point, and is there again after so long, under a clock that is set so.
    case failMachine(CrashPoint, down: Milliseconds, clock: Milliseconds)
    /// A snapshot is made, and is on disk after so long.
    case snapshot(Milliseconds)
    /// A snapshot can't be read any more.
    case damageSnapshot
    /// The disk is full for so long.
    case fillDisk(Milliseconds)
    /// The disk takes none of the next so many commits.
    case failCommits(Int)
    /// The broker's thread gets no time.
    case stall(Milliseconds)
    /// The broker's clock jumps forward.
    case jump(Milliseconds)
    /// The wall clock is set forward or back while the broker runs.
    case setWallClock(Milliseconds)
    /// What happens to messages between the broker and a client from now on.
    case weather(String, Direction, Weather)
    /// A client is cut off for so long.
    case cut(String, Milliseconds)
}

/// Where the process ends: at the call of a port, or where it waits if there is no such call within a second.
enum CrashPoint: Equatable, Sendable {
    /// After so many messages were received.
    case receive(Int)
    case beforeCommit
    case afterCommit
    /// After so many messages were published.
    case publish(Int)
}

enum Direction: String, Sendable, CaseIterable {
    /// To the broker.
    case up
    /// To the client.
    case down
}

/// What happens to messages on their way.
struct Weather: Equatable, Sendable {
    /// In percent.
    var lost = 0
    /// In percent; the second one is late by a delay of its own.
    var repeated = 0
    /// In ms; where it is a range, messages overtake each other.
    var delay: ClosedRange<Milliseconds> = 0...0
    /// The reader takes a message each so many ms; 0: at once. A queue that is full loses the newest, as XPUB does.
    var every: Milliseconds = 0

    static let calm = Weather()
    /// The reader reads no more.
    static let dead = Weather(every: 1 << 40)
}
