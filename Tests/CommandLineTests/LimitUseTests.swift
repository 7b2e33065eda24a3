import PopupClient
import PopupConfiguration
import TestPrograms
import Testing

@Suite("The use of limits in the statistics", .timeLimit(.minutes(5)))
struct LimitUseTests {
    /// The keys with a number that bounds no table of the whole broker, each with what it bounds.
    private static let others = [
        "limits.waitingPerGroup": "a group", "limits.membersPerFlow": "a flow", "limits.renderersPerPopup": "a popup",
        "limits.groupsPerLease": "a lease", "limits.pagesPerTree": "a tree", "limits.pageDepth": "a tree",
        "limits.popupContentBytes": "a popup", "limits.subscriptionsPerConnection": "a connection",
        "limits.subscriptionBytesPerConnection": "a connection", "limits.queryResults": "a reply",
        "limits.batchMessages": "a commit", "limits.refusalLogLines": "a second",
        "deduplication.windowMs": "a time", "deduplication.producerWindowMs": "a time",
        "deduplication.maxSequenceGaps": "a producer",
        "quotas.producers": "the table of a plugin, which exists only with quotas",
        "quotas.perProducer.commandsPerSecond": "a producer", "quotas.perProducer.burst": "a producer",
        "quotas.perProducer.livePopups": "a producer", "quotas.anonymous.commandsPerSecond": "an account",
        "quotas.anonymous.burst": "an account", "quotas.anonymous.livePopups": "an account",
    ]

    @Test("There is one of every limit that bounds a table of the whole broker, with its value, and no other")
    func limits() async throws {
        let broker = try await RunningBroker()
        let admin = try AdminClient(broker.endpoints, limits: .patient)
        let uses = try await admin.statistics().limits
        await admin.close()

        let keys = Setting.all.map(\.key).filter { key in
            ["limits.", "deduplication.", "quotas."].contains { key.hasPrefix($0) }
        }
        #expect(Set(Self.others.keys).isSubset(of: keys))
        #expect(uses.map(\.limit).sorted() == keys.filter { Self.others[$0] == nil }.sorted())
        let standard = Configuration()
        for use in uses where use.limit != "limits.connections" {
            #expect("\(use.most)" == Setting.named(use.limit)?.value(in: standard), "\(use.limit)")
        }
        #expect(uses.allSatisfy { $0.used <= $0.most })
    }
}
