import Logging
import PopupAccess
import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Synchronization

/// The whole broker with a journal in memory, fed on its own thread: `show`s for 1000 groups in turn, each taking its
/// group's slot.
struct Relay {
    /// How many `show`s a frame has.
    var showsAFrame = 1
    /// How many frames are there when the broker looks.
    var framesATurn = Int.max
    /// What somebody subscribes to.
    var subscription: String
    /// Whether a producer numbers them.
    var isNumbered = false
    /// Whether they are sent in JSON.
    var isJSON = false
    /// Whether a user sends them who may show in these groups, and not everything.
    var hasUsers = false

    func run(_ count: Int) throws {
        var configuration = BrokerConfiguration()
        configuration.policies = [
            .with {
                $0.group = "*"
                $0.peers = .stop
            }
        ]
        configuration.scheduling.deduplicationWindow = Scheduling.deduplicationWindow
        if hasUsers { configuration.access = try Self.rules }
        let clock = FedClock()
        let tally = FeedTally()
        let feed = FrameFeed(
            frames: try ShowFrames(shows: showsAFrame, isNumbered: isNumbered, isJSON: isJSON),
            count: count / showsAFrame, showsAFrame: showsAFrame, framesATurn: framesATurn, subscription: subscription,
            user: hasUsers ? Self.user : nil, clock: clock, tally: tally)
        let broker = try Broker(
            configuration: configuration, transport: feed, journal: MemoryJournal(),
            logger: Logger(label: "hot-path") { _ in SwiftLogNoOpLogHandler() }, clock: clock)
        do {
            try broker.runOnThisThread()
        } catch is FeedIsOver {}
        try tally.check(shows: count / showsAFrame * showsAFrame, subscription)
    }

    private static let user = UserName("clerk")

    private static var rules: AccessRules {
        get throws {
            let grants = ["freight/*", "b/*"].map { groups in
                Grant(groups: [GroupPattern(groups)!], rights: Rights(.show), maxPriority: 100)
            }
            return try AccessRules(
                roles: ["office": grants], users: [.init(name: user!, roles: ["office"])], anonymous: nil)
        }
    }
}

/// A clock that goes with what was fed.
final class FedClock: BrokerClock {
    private let time = Atomic<Int64>(0)

    func now() -> Milliseconds { time.load(ordering: .relaxed) }
    func set(_ now: Milliseconds) { time.store(now, ordering: .relaxed) }
}
