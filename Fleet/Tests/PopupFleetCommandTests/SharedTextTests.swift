import EtcdLog
import PopupConfiguration
import PopupJournal
import Testing

@testable import popup_fleet

/// Which configuration a node says that it goes by, and when its broker has to read another one.
@Suite struct SharedTextTests {
    private let first = Array("limits:\n  groups: 2\n".utf8)
    private let second = Array("limits:\n  groups: 3\n".utf8)

    private func checksum(_ bytes: [UInt8]) -> UInt32 { LogOrders.checksum(of: bytes) }

    @Test func `a node says the one that its broker has taken, and not the one that is wanted`() {
        let shared = SharedText(first)
        #expect(shared.read()?.text == String(decoding: first, as: UTF8.self))
        #expect(shared.said == nil)
        // What the node is told when it starts is what it has read.
        #expect(!shared.want(first))
        shared.take()
        #expect(shared.said == checksum(first))

        #expect(shared.want(second))
        #expect(shared.said == checksum(first))
        _ = shared.read()
        #expect(shared.said == checksum(first))
        shared.take()

        #expect(shared.said == checksum(second))
        #expect(!shared.want(second))
        #expect(shared.want(nil))
        _ = shared.read()
        shared.take()
        #expect(shared.said == nil)
    }

    @Test func `one that was refused is read again when it is set again`() {
        let shared = SharedText(first)
        _ = shared.read()
        shared.take()
        #expect(shared.want(second))
        // The broker refuses it.
        _ = shared.read()

        #expect(shared.want(second))

        #expect(shared.said == checksum(first))
        #expect(!shared.want(first))
    }

    @Test func `an owner whose policies were refused when it began says so, until it has taken others`() {
        let shared = SharedText(first)
        _ = shared.read()
        shared.take()
        shared.refusePolicies()
        #expect(shared.said == NodeRecord.refusedPolicies)

        #expect(shared.want(first))
        _ = shared.read()
        shared.take()

        #expect(shared.said == checksum(first))
    }
}
