/// The entries of the shared tables that one producer holds. When a table is full, the account with the most gives way.
struct AccountRecord: MarkedRecord {
    typealias Index = TableIndex<AccountRecord>

    /// The producer; unspecified in the shared account.
    var name: ProducerID
    var nameHash: UInt32
    /// The number of its live popups.
    var live: Int32 = 0
    /// The number of its remembered ids of closed popups.
    var remembered: Int32 = 0
    var closed = ClosedPopups.Ends()
    /// The number of groups that it brought into use and that hold something.
    var groups: Int32 = 0
    /// The numbers of suspension tokens, policies, trees of pages and renderers that it created.
    var tokens: Int32 = 0
    var policies: Int32 = 0
    var trees: Int32 = 0
    var renderers: Int32 = 0
    /// The number of remembered showings for caps for which it pays.
    var showings: Int32 = 0
    /// The bytes of the texts of everything that it holds.
    var bytes = 0
    /// Its position in the heap of accounts.
    fileprivate var rank: Int32 = 0
    var isInUse = true

    init(name: ProducerID, nameHash: UInt32) {
        self.name = name
        self.nameHash = nameHash
    }

    var isEmpty: Bool { live == 0 && remembered == 0 && groups == 0 && bytes == 0 && tokens == 0 && holdsNoOther }

    private var holdsNoOther: Bool { policies == 0 && trees == 0 && renderers == 0 && showings == 0 }

    /// Returns how much it holds of a table that is divided into shares.
    func held(of table: Limits.Name) -> Int {
        switch table {
        case .popups: Int(live)
        case .groups: Int(groups)
        case .contentBytes: bytes
        case .suspensions: Int(tokens)
        case .policies: Int(policies)
        case .pageTrees: Int(trees)
        case .renderers: Int(renderers)
        case .cappedShowings: Int(showings)
        default: 0
        }
    }
}

/// The accounts by producer, and in a heap by the number of remembered ids, so that the account with the most is first.
///
/// All commands without a producer share one account. So do producers that come when the table is full.
struct Accounts: ~Copyable {
    /// The index of the shared account, which always exists.
    static var shared: AccountRecord.Index { AccountRecord.Index(number: 0) }
    /// The maximum number of accounts. Records store the index of their account in 16 bits.
    static let maxCount = 65_534

    private var records = Slab<AccountRecord>()
    private var names = NameTable<AccountRecord.Index>()
    /// A binary heap: no account holds more than its parent.
    private var heap = Buffer<AccountRecord.Index>()
    // The last producer that was looked up, which is often the next one too.
    private var latestName = ProducerID(high: 0, low: 0)
    private var latest: AccountRecord.Index?

    init() {
        _ = insert(AccountRecord(name: ProducerID(high: 0, low: 0), nameHash: 0))
    }

    /// The number of accounts of producers.
    var count: Int { records.count - 1 }
    var capacity: Int { records.capacity }
    /// All accounts, the shared one included. O(n).
    var indices: some Sequence<AccountRecord.Index> { records.indices }

    /// Whether the account at an index still exists.
    func contains(_ index: AccountRecord.Index) -> Bool { records.contains(index) }

    /// Returns the account at a position, if there is one.
    func index(at number: Int) -> AccountRecord.Index? { records.index(at: number) }

    subscript(index: AccountRecord.Index) -> AccountRecord {
        @inline(__always) unsafeAddress { records.address(of: index) }
        @inline(__always) unsafeMutableAddress { records.mutableAddress(of: index) }
    }

    /// Returns the account of a producer, if it has one.
    @inline(__always)
    mutating func find(_ name: ProducerID?, seed: UInt64) -> AccountRecord.Index? {
        guard let name else { return Self.shared }
        if let latest, latestName == name { return latest }
        guard let index = names.find(Self.hash(name, seed), matches: { records[$0].name == name }) else { return nil }
        (latestName, latest) = (name, index)
        return index
    }

    /// Returns the account of a producer, or the shared one if no other can be created; `nil` if a new one would be
    /// created.
    @inline(__always)
    mutating func payer(_ name: ProducerID?, seed: UInt64, limit: Int) -> AccountRecord.Index? {
        find(name, seed: seed) ?? (count < min(limit, Self.maxCount) ? nil : Self.shared)
    }

    /// Returns the account of a producer, creating it if there are fewer than `limit`.
    @inline(__always)
    mutating func findOrMake(_ name: ProducerID?, seed: UInt64, limit: Int) -> AccountRecord.Index {
        guard let name else { return Self.shared }
        if let latest, latestName == name { return latest }
        return findOrMake(of: name, seed: seed, limit: limit)
    }

    private mutating func findOrMake(of name: ProducerID, seed: UInt64, limit: Int) -> AccountRecord.Index {
        if let index = find(name, seed: seed) { return index }
        guard count < min(limit, Self.maxCount) else { return Self.shared }
        let hash = Self.hash(name, seed)
        let index = insert(AccountRecord(name: name, nameHash: hash))
        names.insert(index, hash: hash)
        (latestName, latest) = (name, index)
        return index
    }

    /// Removes an account that holds nothing.
    @inline(__always)
    mutating func forgetIfEmpty(_ index: AccountRecord.Index) {
        if index != Self.shared, records[index].isEmpty { forget(index) }
    }

    @inline(never)
    private mutating func forget(_ index: AccountRecord.Index) {
        let rank = records[index].rank
        let last = heap.removeLast()
        if last != index {
            put(last, at: rank)
            rise(last)
            sink(last)
        }
        names.remove(index, hash: records[index].nameHash)
        records.retire(index)
        latest = nil
    }

    private mutating func insert(_ record: AccountRecord) -> AccountRecord.Index {
        let index = records.insert(record)
        records[index].rank = Int32(heap.count)
        heap.append(index)
        rise(index)
        return index
    }

    private static func hash(_ name: ProducerID, _ seed: UInt64) -> UInt32 {
        withUnsafeBytes(of: name) { $0.hash(seed: seed) }
    }

    // MARK: - The account that holds the most

    /// The account with the most remembered ids; of several the shared one, then the first by name.
    var heaviest: AccountRecord.Index { heap[0] }

    /// Counts a remembered id.
    @inline(__always)
    mutating func countRemembered(of index: AccountRecord.Index) {
        records[index].remembered += 1
        if records[index].rank > 0 { rise(index) }
    }

    /// Counts a forgotten id.
    @inline(__always)
    mutating func countForgotten(of index: AccountRecord.Index) {
        records[index].remembered -= 1
        if heap.count > 1 { sink(index) }
    }

    private mutating func rise(_ index: AccountRecord.Index) {
        var rank = records[index].rank
        while rank > 0 {
            let above = heap[Int(rank - 1) / 2]
            guard goesBefore(index, above) else { break }
            put(above, at: rank)
            rank = (rank - 1) / 2
        }
        put(index, at: rank)
    }

    private mutating func sink(_ index: AccountRecord.Index) {
        var rank = Int(records[index].rank)
        while 2 * rank + 1 < heap.count {
            var below = 2 * rank + 1
            if below + 1 < heap.count, goesBefore(heap[below + 1], heap[below]) { below += 1 }
            guard goesBefore(heap[below], index) else { break }
            put(heap[below], at: Int32(rank))
            rank = below
        }
        put(index, at: Int32(rank))
    }

    private mutating func put(_ index: AccountRecord.Index, at rank: Int32) {
        heap[Int(rank)] = index
        records[index].rank = rank
    }

    private func goesBefore(_ index: AccountRecord.Index, _ other: AccountRecord.Index) -> Bool {
        let (mine, theirs) = (records[index].remembered, records[other].remembered)
        return mine != theirs ? mine > theirs : precedes(index, other)
    }

    /// Whether an account precedes another one by name. The shared one precedes all others.
    func precedes(_ index: AccountRecord.Index, _ other: AccountRecord.Index) -> Bool {
        guard index != Self.shared, other != Self.shared else { return index == Self.shared && other != Self.shared }
        let (mine, theirs) = (records[index].name, records[other].name)
        return mine.high != theirs.high ? mine.high < theirs.high : mine.low < theirs.low
    }

    /// Whether no account holds more than its parent.
    var isInOrder: Bool {
        heap.count == records.count
            && (0..<heap.count).allSatisfy { rank in
                records[heap[rank]].rank == Int32(rank) && (rank == 0 || !goesBefore(heap[rank], heap[(rank - 1) / 2]))
            }
    }
}
