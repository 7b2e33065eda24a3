/// The positions of records in the encoded state: all records of a kind in byte order of their names, so that others
/// can refer to them by their positions.
struct StateOrder {
    let groups: [GroupRecord.Index]
    /// The shared account is the first.
    let accounts: [AccountRecord.Index]
    /// The names of the users that have one and accounts.
    let users: [[UInt8]]
    let flows: [FlowRecord.Index]
    let renderers: [RendererRecord.Index]
    let trees: [[UInt8]]
    let patterns: [[UInt8]]

    private let groupPositions: [Int32]
    private let accountPositions: [Int32]
    private let userPositions: [[UInt8]: UInt64]
    private let flowPositions: [Int32]
    private let rendererPositions: [Int32]
    private let treePositions: [PageTree.Index: Int32]
    private let patternPositions: [PolicyTable.Index: Int32]

    init(of scheduler: inout Scheduler) {
        groups = scheduler.orderedGroups()
        let groupPositions = Self.positions(of: groups, capacity: scheduler.groups.capacity)
        self.groupPositions = groupPositions
        accounts = scheduler.orderedAccounts()
        accountPositions = Self.positions(of: accounts, capacity: scheduler.accounts.capacity)
        users = scheduler.accounts.userNames
        userPositions = Dictionary(uniqueKeysWithValues: users.enumerated().map { ($0.element, UInt64($0.offset + 1)) })
        flows = scheduler.orderedFlows { groupPositions[$0.number] }
        flowPositions = Self.positions(of: flows, capacity: scheduler.flows.capacity)
        renderers = scheduler.orderedRenderers()
        rendererPositions = Self.positions(of: renderers, capacity: scheduler.renderers.capacity)
        trees = scheduler.pages.names
        treePositions = Self.positions(of: trees.compactMap { scheduler.pages.index(of: $0) })
        patterns = scheduler.policies.patterns
        patternPositions = Self.positions(of: patterns.compactMap { scheduler.policies.index(ofPattern: $0) })
    }

    func position(ofGroup group: GroupRecord.Index) -> Int32 { groupPositions[group.number] }

    func position(ofAccount account: AccountRecord.Index) -> Int32 { accountPositions[account.number] }

    /// Returns the position of a user, from 1 on; 0 for none.
    func position(ofUser name: [UInt8]) -> UInt64 { userPositions[name] ?? 0 }

    func position(ofFlow flow: FlowRecord.Index?) -> Int32? { flow.map { flowPositions[$0.number] } }

    func position(ofRenderer client: RendererRecord.Index) -> Int32 { rendererPositions[client.number] }

    func position(ofTree tree: PageTree.Index?) -> Int32? { tree.flatMap { treePositions[$0] } }

    /// Returns the position of a policy, from 1 on; 0 for the policy that applies if no other was set.
    func position(ofPolicy policy: PolicyTable.Index) -> Int32 { patternPositions[policy].map { $0 + 1 } ?? 0 }

    private static func positions<Record>(of ordered: [TableIndex<Record>], capacity: Int) -> [Int32] {
        var positions = [Int32](repeating: 0, count: capacity)
        for (position, index) in ordered.enumerated() { positions[index.number] = Int32(position) }
        return positions
    }

    private static func positions<Record>(of ordered: [TableIndex<Record>]) -> [TableIndex<Record>: Int32] {
        Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($0.element, Int32($0.offset)) })
    }
}

extension Scheduler {
    /// Returns all flows in the order of their groups, and within a group in byte order of their keys.
    fileprivate func orderedFlows(positionOfGroup position: (GroupRecord.Index) -> Int32) -> [FlowRecord.Index] {
        flows.indices.sorted { first, second in
            let (mine, theirs) = (position(flows[first].group), position(flows[second].group))
            return mine != theirs ? mine < theirs : store[flows[first].key].precedes(store[flows[second].key])
        }
    }

    /// Returns all accounts by name, the shared one first.
    fileprivate func orderedAccounts() -> [AccountRecord.Index] {
        accounts.indices.sorted { accounts.precedes($0, $1) }
    }

    /// Returns all renderers in byte order of their names.
    fileprivate func orderedRenderers() -> [RendererRecord.Index] {
        renderers.indices.sorted {
            store[renderers[$0].name].precedes(store[renderers[$1].name])
        }
    }
}
