import PopupJournal
import Synchronization
import Testing

@testable import EtcdLog

/// How many hints somebody has seen.
private final class HintCount: Sendable {
    let count = Atomic<Int>(0)
}

extension EtcdTests {
    /// What operators ask for, and what nodes say of themselves.
    @Suite(.timeLimit(.minutes(10))) struct EtcdOrdersTests {
        @Test func `orders are what was asked for last, and each change is seen`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            #expect(try await log.orders() == LogOrders())
            let seen = HintCount()
            let watching = Task {
                for await hint in log.hints() where hint == .ordersChanged { seen.count.add(1, ordering: .relaxed) }
            }
            defer { watching.cancel() }
            // A watch begins at some moment after the call.
            try await eventually("the watch has begun") {
                try await log.askForLevel(6, forgottenAfter: 60)
                return seen.count.load(ordering: .relaxed) > 0
            }
            func isSeen(_ what: String, _ change: () async throws -> Void) async throws {
                // What was seen of the changes before.
                try await Task.sleep(for: .milliseconds(100))
                let before = seen.count.load(ordering: .relaxed)
                try await change()
                try await eventually("\(what) is seen") { seen.count.load(ordering: .relaxed) > before }
            }

            var isSet = false
            try await isSeen("a configuration") { isSet = try await log.configure([1, 2, 3]) }
            #expect(isSet)
            try await isSeen("a hand-over") { try await log.askToHandOver(epoch: 1 << 40, forgottenAfter: 15) }
            try await isSeen("a level") { try await log.askForLevel(7, forgottenAfter: 20) }
            // Before they are forgotten, also on a machine under load.
            #expect(try await log.orders() == LogOrders(configuration: [1, 2, 3], handOver: 1 << 40, level: 7))

            try await isSeen("that there is no configuration") { isSet = try await log.configure(nil) }
            #expect(isSet)
            try await eventually("the hand-over is forgotten") { try await log.orders() == LogOrders(level: 7) }
            try await eventually("the level is forgotten") { try await log.orders() == LogOrders() }
        }

        @Test func `a node is listed with what it says last, until it ends or says nothing any more`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            var record = NodeRecord(node: "left/1", version: "1.2.3", level: 1)
            let lease = try await log.announce(record, under: nil)
            #expect(try await log.nodes() == [record])

            // Saying the same again writes nothing.
            let before = try etcd.control(["get", "--prefix", "/popup-broker/v1/main/live/nodes/", "-w", "fields"])
            #expect(try await log.announce(record, under: lease) == lease)
            let after = try etcd.control(["get", "--prefix", "/popup-broker/v1/main/live/nodes/", "-w", "fields"])
            func revision(_ words: String) -> Substring? {
                words.split(separator: "\n").first { $0.hasPrefix("\"ModRevision\"") }
            }
            #expect(revision(before) == revision(after) && revision(before) != nil)

            record.epoch = 17
            record.configuration = 5
            #expect(try await log.announce(record, under: lease) == lease)
            let other = NodeRecord(node: "right", version: "1.2.4", level: 2, ingress: "a", egress: "b")
            let theirs = try await log.announce(other, under: nil)
            #expect(try await log.nodes() == [record, other])
            try await log.withdraw(under: theirs)
            #expect(try await log.nodes() == [record])
            // The lease has ended: another one takes its place.
            try await log.withdraw(under: lease)
            #expect(try await log.announce(record, under: lease) != lease)
            // One whose words cannot be read may be of any version.
            try etcd.control(["put", "/popup-broker/v1/main/live/nodes/z", "damaged"])
            #expect(try await log.nodes() == [record, NodeRecord(node: "z", version: "unknown", level: 0)])
        }

        @Test func `each member says how full it is`() async throws {
            let etcd = try await EtcdServers(3)
            let log = try etcd.log()
            defer { log.close() }

            let members = await log.statusOfMembers()

            #expect(members.count == 3)
            #expect(Set(members.map { "\($0.endpoint)" }).count == 3)
            let statuses = members.compactMap(\.status)
            #expect(statuses.count == 3)
            #expect(statuses.allSatisfy { $0.byteCount >= $0.usedByteCount && $0.usedByteCount > 0 })
        }
    }
}
