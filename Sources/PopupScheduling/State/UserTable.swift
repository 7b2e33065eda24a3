/// The holdings of accounts: in the tables that are divided into shares, and remembered ids.
struct Holdings: BitwiseCopyable, Equatable {
    /// The number of live popups.
    var live: Int32 = 0
    /// The number of remembered ids of closed popups.
    var remembered: Int32 = 0
    /// The number of groups that hold something.
    var groups: Int32 = 0
    // The numbers of suspension tokens, policies, trees of pages and renderers.
    var tokens: Int32 = 0
    var policies: Int32 = 0
    var trees: Int32 = 0
    var renderers: Int32 = 0
    /// The number of remembered showings for caps.
    var showings: Int32 = 0
    /// The bytes of the texts of everything.
    var bytes = 0

    /// Returns how much is held of a table that is divided into shares.
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

    /// Adds what is held now, and subtracts what was held before.
    mutating func add(_ now: Holdings, insteadOf before: Holdings) {
        live += now.live - before.live
        remembered += now.remembered - before.remembered
        groups += now.groups - before.groups
        tokens += now.tokens - before.tokens
        policies += now.policies - before.policies
        trees += now.trees - before.trees
        renderers += now.renderers - before.renderers
        showings += now.showings - before.showings
        bytes += now.bytes - before.bytes
    }
}

/// A user in the table of users: its accounts, and what they hold together.
struct UserRecord: ~Copyable {
    /// The name; empty for clients without a key.
    let name: [UInt8]
    /// The holdings of its accounts when they were last counted.
    fileprivate(set) var holdings = Holdings()
    /// Its accounts, the one with the most remembered ids first.
    var accounts = RankHeap<AccountRecord.Index>()
    /// The account of its commands without a producer, and of its producers that have none of their own.
    var shared: AccountRecord.Index?
    /// Its position in the heap of users.
    fileprivate var rank: Int32 = 0

    init(name: [UInt8]) {
        self.name = name
    }
}

/// The users with accounts, by number.
struct UserTable: ~Copyable {
    typealias Number = UInt16

    /// The number of no user: that of all accounts while users have no shares.
    static var none: Number { 0 }
    /// The number of the user that all clients without a key are, and all users for which the table has no place.
    static var anonymous: Number { 1 }
    /// The number of a user that has no account.
    static var missing: Number { .max }
    /// The maximum number of users with a name that have accounts.
    static var maxCount: Int { 1024 }

    // A record stays where it is. The memory is only there when there are users.
    private var records: UnsafeMutablePointer<UserRecord>?
    private var numbers: [[UInt8]: Number] = [:]
    /// The numbers that have a record.
    private var isUsed: [Bool] = []
    private var free: [Number] = []
    /// The number of remembered ids of all users, as far as they are counted.
    private(set) var remembered = 0
    /// The number of accounts that users have for commands without a producer, except that of clients without a key.
    var sharedCount = 0

    init() {}

    deinit {
        guard let records else { return }
        for number in isUsed.indices where isUsed[number] { (records + number).deinitialize(count: 1) }
        records.deallocate()
    }

    /// The number of users with a name.
    var count: Int { numbers.count }
    var isFull: Bool { numbers.count >= Self.maxCount }
    /// The numbers of all users.
    var all: [Number] { isUsed.indices.filter { isUsed[$0] }.map(Number.init) }

    /// Whether a user still is in the table.
    func contains(_ user: Number) -> Bool { Int(user) < isUsed.count && isUsed[Int(user)] }

    /// Returns the number of a user with a name; `nil` if it has no account.
    func find(_ name: [UInt8]) -> Number? { numbers[name] }

    subscript(user: Number) -> UserRecord {
        unsafeAddress { UnsafePointer(address(of: user)) }
        unsafeMutableAddress { address(of: user) }
    }

    private func address(of user: Number) -> UnsafeMutablePointer<UserRecord> {
        assert(contains(user), "a user that is not in the table")
        return records.unsafelyUnwrapped + Int(user)
    }

    /// Adds the clients without a key, if they are not in the table. Returns whether they were added.
    mutating func addAnonymous() -> Bool {
        guard !contains(Self.anonymous) else { return false }
        put(UserRecord(name: []), at: Self.anonymous)
        return true
    }

    /// Adds a user with a name. The table must not be full.
    mutating func add(_ name: [UInt8]) -> Number {
        let number = free.popLast() ?? Number(max(isUsed.count, Int(Self.anonymous) + 1))
        put(UserRecord(name: name), at: number)
        numbers[name] = number
        return number
    }

    private mutating func put(_ record: consuming UserRecord, at number: Number) {
        let base = records ?? .allocate(capacity: Self.maxCount + 2)
        records = base
        while isUsed.count <= Int(number) { isUsed.append(false) }
        (base + Int(number)).initialize(to: record)
        isUsed[Int(number)] = true
    }

    /// Removes a user with a name, which has no accounts.
    mutating func remove(_ user: Number) {
        numbers[self[user].name] = nil
        address(of: user).deinitialize(count: 1)
        isUsed[Int(user)] = false
        free.append(user)
    }

    /// Counts for a user what an account holds now, and no longer what it held before.
    mutating func count(_ now: Holdings, insteadOf before: Holdings, of user: Number) {
        self[user].holdings.add(now, insteadOf: before)
        remembered += Int(now.remembered - before.remembered)
    }
}

extension UserTable: RankedRecords {
    func rank(of user: Number) -> Int32 { self[user].rank }

    mutating func setRank(of user: Number, to rank: Int32) { self[user].rank = rank }

    /// Whether a user has more remembered ids than another one; of equal ones, clients without a key and then the first
    /// by name go before.
    func goesBefore(_ user: Number, _ other: Number) -> Bool {
        let (mine, theirs) = (self[user].holdings.remembered, self[other].holdings.remembered)
        return mine != theirs ? mine > theirs : precedes(user, other)
    }

    /// Whether a user precedes another one by name, of which clients without a key have none.
    func precedes(_ user: Number, _ other: Number) -> Bool {
        self[user].name.lexicographicallyPrecedes(self[other].name)
    }
}
