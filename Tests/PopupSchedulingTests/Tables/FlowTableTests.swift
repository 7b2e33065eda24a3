@testable import PopupScheduling
import Testing

/// The table of flows, by group and key.
@Suite struct FlowTableTests {
    private let group = GroupRecord.Index(number: 0)
    private let other = GroupRecord.Index(number: 1)

    @Test func `a flow is found by its key in its own group, until it is removed`() {
        var flows = FlowTable()
        let key = ByteReference(block: 3, count: 1)
        let flow = flows.add(FlowRecord(key: key, keyHash: 9, group: group))
        #expect(flows.find(9, in: group) { $0.block == key.block } == flow)
        #expect(flows.find(9, in: other) { $0.block == key.block } == nil)
        #expect(flows.find(9, in: group) { _ in false } == nil)
        flows.remove(flow)
        #expect(flows.find(9, in: group) { _ in true } == nil)
        let isThere = flows.contains(flow)
        #expect(!isThere)
    }

    @Test func `flows of two groups with one key differ`() {
        var flows = FlowTable()
        let mine = flows.add(FlowRecord(key: .empty, keyHash: 9, group: group))
        let theirs = flows.add(FlowRecord(key: .empty, keyHash: 9, group: other))
        #expect(flows.find(9, in: group) { _ in true } == mine)
        #expect(flows.find(9, in: other) { _ in true } == theirs)
    }
}
