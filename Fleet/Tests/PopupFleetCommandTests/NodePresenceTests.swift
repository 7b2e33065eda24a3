import EtcdLog
import PopupJournal
import Synchronization
import Testing

@testable import popup_fleet

/// The record of a node, and the end of its listing.
@Suite(.timeLimit(.minutes(5))) struct NodePresenceTests {
    /// The place where nodes say what they are, in memory. An answer can be held back.
    private final class Board: NodeBoard {
        private struct State {
            var leases: Set<Int64> = []
            var lastLease: Int64 = 0
            var asked = 0
            var isHolding = false
        }

        private let state = Mutex(State())

        var leases: Set<Int64> { state.withLock { $0.leases } }
        var asked: Int { state.withLock { $0.asked } }
        func hold(_ isHolding: Bool) { state.withLock { $0.isHolding = isHolding } }

        func announce(_ record: NodeRecord, under lease: Int64?) async throws(SharedLogError) -> Int64 {
            state.withLock { $0.asked += 1 }
            while state.withLock({ $0.isHolding }) { try? await Task.sleep(for: .milliseconds(2)) }
            return state.withLock { state in
                if let lease, state.leases.contains(lease) { return lease }
                state.lastLease += 1
                state.leases.insert(state.lastLease)
                return state.lastLease
            }
        }

        func withdraw(under lease: Int64) async throws(SharedLogError) {
            state.withLock { _ = $0.leases.remove(lease) }
        }
    }

    private let board = Board()

    private func presence() -> NodePresence {
        NodePresence(NodeRecord(node: "left", version: "1", level: 1), board)
    }

    private func eventually(_ isSo: () -> Bool) async throws {
        while !isSo() { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func `a node that ends while it says so under a new lease is listed no more`() async throws {
        let presence = presence()
        board.hold(true)
        presence.begin { 7 }
        try await eventually { board.asked == 1 }

        let end = Task { await presence.end() }
        try await eventually { presence.isEnding.isSet }
        board.hold(false)
        await end.value

        #expect(board.leases.isEmpty)
        #expect(board.asked == 1)
        #expect(presence.present.index == 7)
    }

    @Test func `what changes is said under the same lease, which is taken back in the end`() async throws {
        let presence = presence()
        presence.begin { 1 }
        try await eventually { board.leases == [1] }

        presence.change { $0.epoch = 5 }

        try await eventually { board.asked == 2 }
        #expect(board.leases == [1])
        await presence.end()
        #expect(board.leases.isEmpty)
    }
}
