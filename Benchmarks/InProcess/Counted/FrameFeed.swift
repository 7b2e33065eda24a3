import PopupAccess
import PopupBroker
import Synchronization

/// A transport that has so many frames to receive, and swallows what is published.
final class FrameFeed: Transport {
    private var frames: ShowFrames
    private var left: Int
    private var leftInTurn: Int
    private var fedShows = 0
    private let showsAFrame: Int
    private let framesATurn: Int
    private var subscription: [UInt8]?
    private let user: UserName?
    private let clock: FedClock
    private let tally: FeedTally
    private var published = Published()

    init(
        frames: consuming ShowFrames, count: Int, showsAFrame: Int, framesATurn: Int, subscription: String,
        user: UserName?, clock: FedClock, tally: FeedTally
    ) {
        self.frames = frames
        left = count
        leftInTurn = framesATurn
        self.showsAFrame = showsAFrame
        self.framesATurn = framesATurn
        self.subscription = Array(subscription.utf8)
        self.user = user
        self.clock = clock
        self.tally = tally
    }

    var wake: @Sendable () -> Void { {} }

    func open() throws -> BrokerEndpoints { BrokerEndpoints(ingress: "feed", egress: "feed") }

    /// Time goes on; when all is fed and nothing is left to do, it is over.
    func wait(milliseconds: Int?) throws {
        if left == 0, milliseconds != 0 { throw FeedIsOver() }
        leftInTurn = framesATurn
        clock.set(Int64(fedShows / Scheduling.showsAMillisecond))
    }

    func receive(_ take: (_ user: UserName?, _ frame: RawSpan) -> Void) throws -> Reception {
        guard left > 0, leftInTurn > 0 else { return .nothing }
        left -= 1
        leftInTurn -= 1
        fedShows += showsAFrame
        frames.advance()
        take(user, RawSpan(_unsafeBytes: frames.bytes))
        return .frame
    }

    func receiveSubscription(_ take: SubscriptionTaker) throws -> Bool {
        guard let prefix = subscription else { return false }
        subscription = nil
        _ = take(ConnectionID(1), nil, .subscribed, prefix.span.bytes)
        return true
    }

    func disconnect(_ connection: ConnectionID, because reason: String) {}

    func takeCutConnections() -> [CutConnection] { [] }

    func publish(topic: RawSpan, body: RawSpan) throws {
        published.messages += 1
        published.bytes += body.byteCount
    }

    func publish(frame: RawSpan) throws {
        published.messages += 1
        published.bytes += frame.byteCount
    }

    func close() { tally.set(published) }
}

/// What was published.
struct Published {
    var messages = 0
    var bytes = 0
}

/// Where a feed leaves what was published.
final class FeedTally: Sendable {
    private let published = Mutex(Published())

    func set(_ published: Published) { self.published.withLock { $0 = published } }

    /// Checks that as much came out as must have.
    func check(shows: Int, _ subscription: String) throws {
        let published = published.withLock { $0 }
        let isWhole =
            switch subscription {
            case "state/", "state+json/", "state+frame/": published.messages >= shows && published.bytes >= 200 * shows
            case "feed/": published.bytes >= 200 * shows
            default: published.messages > 0
            }
        guard isWhole else { throw WrongWork(description: "\(shows) shows, and \(published) came out") }
    }
}

/// All frames were received.
struct FeedIsOver: Error {}
