/// Where in the state's bytes a group, a flow, a renderer or a tree stands: all of a kind in byte order of their names,
/// so that others name them by their places.
struct StateOrder {
    let groups: [Int32]
    /// The shared one first.
    let accounts: [Int32]
    let flows: [Int32]
    let clients: [Int32]
    let trees: [[UInt8]]
    let patterns: [[UInt8]]

    private let groupPlaces: [Int32]
    private let accountPlaces: [Int32]
    private let flowPlaces: [Int32]
    private let clientPlaces: [Int32]
    private let treePlaces: [Int32: Int32]
    private let patternPlaces: [Int32: Int32]

    init(of scheduler: inout Scheduler) {
        groups = scheduler.orderedGroups()
        let groupPlaces = Self.places(of: groups, capacity: scheduler.groups.capacity)
        self.groupPlaces = groupPlaces
        accounts = scheduler.orderedAccounts()
        accountPlaces = Self.places(of: accounts, capacity: scheduler.accounts.capacity)
        flows = scheduler.orderedFlows { groupPlaces[Int($0)] }
        flowPlaces = Self.places(of: flows, capacity: scheduler.flows.capacity)
        clients = scheduler.orderedClients()
        clientPlaces = Self.places(of: clients, capacity: scheduler.clients.records.capacity)
        trees = scheduler.pages.names
        treePlaces = Self.places(of: trees.compactMap { scheduler.pages.place(of: $0) })
        patterns = scheduler.policies.patterns
        patternPlaces = Self.places(of: patterns.compactMap { scheduler.policies.place(ofPattern: $0) })
    }

    func place(ofGroup group: Int32) -> Int32 { groupPlaces[Int(group)] }

    func place(ofAccount account: Int32) -> Int32 { accountPlaces[Int(account)] }

    /// `nil` for `nobody`.
    func place(ofFlow flow: Int32) -> Int32? { flow == nobody ? nil : flowPlaces[Int(flow)] }

    func place(ofClient client: Int32) -> Int32 { clientPlaces[Int(client)] }

    /// `nil` for `nobody`.
    func place(ofTree tree: Int32) -> Int32? { treePlaces[tree] }

    /// 0: the policy that holds where no other was set; the others begin at 1.
    func place(ofPolicy policy: Int32) -> Int32 { patternPlaces[policy].map { $0 + 1 } ?? PolicyTable.initial }

    private static func places(of ordered: [Int32], capacity: Int32) -> [Int32] {
        var places = [Int32](repeating: nobody, count: Int(capacity))
        for (place, index) in ordered.enumerated() { places[Int(index)] = Int32(place) }
        return places
    }

    private static func places(of ordered: [Int32]) -> [Int32: Int32] {
        Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($0.element, Int32($0.offset)) })
    }
}

extension Scheduler {
    /// All flows in the order of their groups, those of one group in byte order of their keys.
    fileprivate func orderedFlows(placeOfGroup place: (Int32) -> Int32) -> [Int32] {
        (0..<flows.capacity).filter { flows[$0].isInUse }.sorted { first, second in
            let (mine, theirs) = (place(flows[first].group), place(flows[second].group))
            return mine != theirs ? mine < theirs : store[flows[first].key].precedes(store[flows[second].key])
        }
    }

    /// All accounts by name, the shared one first.
    fileprivate func orderedAccounts() -> [Int32] {
        (0..<accounts.capacity).filter { accounts[$0].isInUse }.sorted { accounts.precedes($0, $1) }
    }

    /// All renderers in byte order of their names.
    fileprivate func orderedClients() -> [Int32] {
        (0..<clients.records.capacity).filter { clients.records[$0].isInUse }.sorted {
            store[clients.records[$0].name].precedes(store[clients.records[$1].name])
        }
    }
}
