/// The positions of records in the encoded state: all records of a kind in byte order of their names, so that others
/// can refer to them by their positions.
struct StateOrder {
    let groups: [GroupRecord.Index]
    /// The shared account is the first.
    let accounts: [AccountRecord.Index]
    let flows: [FlowRecord.Index]
    let renderers: [RendererRecord.Index]
    let trees: [[UInt8]]
    let patterns: [[UInt8]]

    private let groupPlaces: [Int32]
    private let accountPlaces: [Int32]
    private let flowPlaces: [Int32]
    private let rendererPlaces: [Int32]
    private let treePlaces: [PageTree.Index: Int32]
    private let patternPlaces: [PolicyTable.Index: Int32]

    init(of scheduler: inout Scheduler) {
        groups = scheduler.orderedGroups()
        let groupPlaces = Self.places(of: groups, capacity: scheduler.groups.capacity)
        self.groupPlaces = groupPlaces
        accounts = scheduler.orderedAccounts()
        accountPlaces = Self.places(of: accounts, capacity: scheduler.accounts.capacity)
        flows = scheduler.orderedFlows { groupPlaces[$0.number] }
        flowPlaces = Self.places(of: flows, capacity: scheduler.flows.capacity)
        renderers = scheduler.orderedRenderers()
        rendererPlaces = Self.places(of: renderers, capacity: scheduler.renderers.capacity)
        trees = scheduler.pages.names
        treePlaces = Self.places(of: trees.compactMap { scheduler.pages.place(of: $0) })
        patterns = scheduler.policies.patterns
        patternPlaces = Self.places(of: patterns.compactMap { scheduler.policies.place(ofPattern: $0) })
    }

    func place(ofGroup group: GroupRecord.Index) -> Int32 { groupPlaces[group.number] }

    func place(ofAccount account: AccountRecord.Index) -> Int32 { accountPlaces[account.number] }

    func place(ofFlow flow: FlowRecord.Index?) -> Int32? { flow.map { flowPlaces[$0.number] } }

    func place(ofRenderer client: RendererRecord.Index) -> Int32 { rendererPlaces[client.number] }

    func place(ofTree tree: PageTree.Index?) -> Int32? { tree.flatMap { treePlaces[$0] } }

    /// Returns the position of a policy, from 1 on; 0 for the policy that applies if no other was set.
    func place(ofPolicy policy: PolicyTable.Index) -> Int32 { patternPlaces[policy].map { $0 + 1 } ?? 0 }

    private static func places<Record>(of ordered: [TableIndex<Record>], capacity: Int) -> [Int32] {
        var places = [Int32](repeating: 0, count: capacity)
        for (place, index) in ordered.enumerated() { places[index.number] = Int32(place) }
        return places
    }

    private static func places<Record>(of ordered: [TableIndex<Record>]) -> [TableIndex<Record>: Int32] {
        Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($0.element, Int32($0.offset)) })
    }
}

extension Scheduler {
    /// Returns all flows in the order of their groups, and within a group in byte order of their keys.
    fileprivate func orderedFlows(placeOfGroup place: (GroupRecord.Index) -> Int32) -> [FlowRecord.Index] {
        flows.indices.sorted { first, second in
            let (mine, theirs) = (place(flows[first].group), place(flows[second].group))
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
