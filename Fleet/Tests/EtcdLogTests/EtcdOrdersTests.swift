import PopupJournal
import Testing

@testable import EtcdLog

extension EtcdTests {
    /// What operators ask for, and what nodes say of themselves.
    @Suite(.timeLimit(.minutes(2))) struct EtcdOrdersTests {
        @Test func `orders are what was asked for last, and each change is seen`() async throws {
            let etcd = try await EtcdServers()
            let log = try etcd.log()
            defer { log.close() }
            #expect(try await log.orders() == LogOrders())
            // A watch begins at some moment after the call.
            let seen = Task {
                var count = 0
                for await hint in log.hints() where hint == .ordersChanged {
                    count += 1
                    if count == 2 { return }
                }
            }

            try await log.configure([1, 2, 3])
            try await log.askToHandOver(epoch: 1 << 40, forgottenAfter: 2)
            try await log.askForLevel(7)
            #expect(try await log.orders() == LogOrders(configuration: [1, 2, 3], handOver: 1 << 40, level: 7))

            try await log.configure(nil)
            try await eventually("the hand-over is forgotten") { try await log.orders() == LogOrders(level: 7) }
            let changes = Task {
                while !Task.isCancelled {
                    try await log.askForLevel(8)
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            await seen.value
            changes.cancel()
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
            try etcd.control(["put", "/popup-broker/v1/main/live/nodes/z", "damaged"])
            #expect(try await log.nodes() == [record])
        }

        @Test func `each member says how full it is`() async throws {
            let etcd = try await EtcdServers(3)
            let log = try etcd.log()
            defer { log.close() }

            let members = await log.statusOfMembers()

            #expect(members.count == 3)
            #expect(members.allSatisfy { $0.byteCount >= $0.usedByteCount && $0.usedByteCount > 0 })
        }
    }
}
