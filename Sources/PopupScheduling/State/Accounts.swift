/// The entries of the shared tables that one producer holds. When a table is full, the account with the most gives way.
struct AccountRecord: MarkedRecord {
    typealias Index = TableIndex<AccountRecord>

    /// The producer; unspecified in the account of commands without one.
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
    /// Its position in the heap of the accounts of its user.
    fileprivate var rank: Int32 = 0
    /// The user whose command made it.
    fileprivate(set) var user = UserTable.none
    var isInUse = true
    /// The bits of `isShared` and `isNoted`. With them, a record has 80 bytes.
    private var marks: UInt8 = 0

    init(name: ProducerID, nameHash: UInt32) {
        self.name = name
        self.nameHash = nameHash
    }

    var isEmpty: Bool { live == 0 && remembered == 0 && groups == 0 && bytes == 0 && tokens == 0 && holdsNoOther }

    /// Whether it is that of commands without a producer.
    fileprivate(set) var isShared: Bool {
        get { marks & 1 != 0 }
        set { marks = newValue ? marks | 1 : marks & ~1 }
    }

    /// Whether it is in the list of accounts that are to be counted again for their users.
    fileprivate var isNoted: Bool {
        get { marks & 2 != 0 }
        set { marks = newValue ? marks | 2 : marks & ~2 }
    }

    private var holdsNoOther: Bool { policies == 0 && trees == 0 && renderers == 0 && showings == 0 }

    /// Its part of the tables that are divided into shares, and of the remembered ids.
    var holdings: Holdings {
        Holdings(
            live: live, remembered: remembered, groups: groups, tokens: tokens, policies: policies, trees: trees,
            renderers: renderers, showings: showings, bytes: bytes)
    }

    /// Returns how much it holds of a table that is divided into shares.
    func held(of table: Limits.Name) -> Int { holdings.held(of: table) }
}

/// The accounts by user and producer. Those of each user are in a heap by the number of remembered ids, and so are the
/// users, so that the account with the most of the user with the most is found at once.
///
/// While users have no shares, no account has a user. All commands of a user without a producer share one account. So do
/// its producers that come when the table is full.
///
/// The sum of what the accounts of a user hold is only needed when a table is nearly full. So a change of an account is
/// noted, once, and counted for its user when the sum is asked for. Where there are no users, this costs one comparison
/// wherever an account is changed: what many commands do takes its address, once.
struct Accounts: ~Copyable {
    /// The index of the account of commands without a producer and without a user, or of clients without a key. It always
    /// exists.
    static var shared: AccountRecord.Index { AccountRecord.Index(number: 0) }
    /// The maximum number of accounts. Records store the index of their account in 16 bits.
    static let maxCount = 65_534
    /// The number of noted accounts from which on they are counted when a step begins.
    private static var maxNoted: Int { 1024 }

    private var records = Slab<AccountRecord>()
    private var names = NameTable<AccountRecord.Index>()
    /// The accounts of no user.
    private var heap = RankHeap<AccountRecord.Index>()
    private var users = UserTable()
    /// The users, the one with the most remembered ids first.
    private var userHeap = RankHeap<UserTable.Number>()
    /// Whether accounts have users.
    private(set) var haveUsers = false
    /// Whether an account has a user, or had one.
    private(set) var hadUsers = false
    /// The accounts of users that have changed since they were counted, perhaps with others.
    private var noted = Buffer<AccountRecord.Index>()
    /// The holdings of accounts as they are counted for their users, by the numbers of the accounts.
    private var counted = Buffer<Holdings>()
    // The user of the command, and its account for commands without a producer, if it has one.
    private var userName: [UInt8] = []
    private var user = UserTable.none
    private var usersShared: AccountRecord.Index? = Accounts.shared
    // The last producer that was looked up, which is often the next one too.
    private var latestName = ProducerID(high: 0, low: 0)
    private var latest: AccountRecord.Index?

    init() {
        var record = AccountRecord(name: ProducerID(high: 0, low: 0), nameHash: 0)
        record.isShared = true
        _ = insert(record)
    }

    /// The number of accounts of producers.
    var count: Int { records.count - 1 - users.sharedCount }
    var capacity: Int { records.capacity }
    /// All accounts, those of commands without a producer included. O(n).
    var indices: some Sequence<AccountRecord.Index> { records.indices }

    /// Whether the account at an index still exists.
    func contains(_ index: AccountRecord.Index) -> Bool { records.contains(index) }

    /// Returns the account at a position, if there is one.
    func index(at number: Int) -> AccountRecord.Index? { records.index(at: number) }

    subscript(index: AccountRecord.Index) -> AccountRecord {
        @inline(__always) unsafeAddress { records.address(of: index) }
        @inline(__always) unsafeMutableAddress { mutableAddress(of: index) }
    }

    /// Returns the address of an account, and notes that it changes. It must not be used any more once what a user holds
    /// is asked for.
    @inline(__always)
    mutating func mutableAddress(of index: AccountRecord.Index) -> UnsafeMutablePointer<AccountRecord> {
        if hadUsers { note(index) }
        return records.mutableAddress(of: index)
    }

    /// Returns the account of a producer of the current user, if it has one.
    @inline(__always)
    mutating func find(_ name: ProducerID?, seed: UInt64) -> AccountRecord.Index? {
        guard let name else { return usersShared ?? sharedAccount(of: payingUser) }
        if let latest, latestName == name { return latest }
        let user = payingUser
        guard
            let index = names.find(
                Self.hash(name, seed), matches: { records[$0].name == name && records[$0].user == user })
        else { return nil }
        // An account that a user shares with others for lack of space is looked up each time.
        if user == self.user { (latestName, latest) = (name, index) }
        return index
    }

    /// Returns the account of a producer, or the one that it shares if no other can be created; `nil` if a new one would
    /// be created.
    @inline(__always)
    mutating func payer(_ name: ProducerID?, seed: UInt64, limit: Int) -> AccountRecord.Index? {
        find(name, seed: seed) ?? (hasRoom(limit) ? nil : sharedAccount(of: payingUser))
    }

    /// Returns the account of a producer, creating it if there are fewer than `limit`.
    @inline(__always)
    mutating func findOrMake(_ name: ProducerID?, seed: UInt64, limit: Int) -> AccountRecord.Index {
        guard let name else { return usersShared ?? findOrMakeShared() }
        if let latest, latestName == name { return latest }
        return findOrMake(of: name, seed: seed, limit: limit)
    }

    private mutating func findOrMake(of name: ProducerID, seed: UInt64, limit: Int) -> AccountRecord.Index {
        if let index = find(name, seed: seed) { return index }
        guard hasRoom(limit) else { return findOrMakeShared() }
        var record = AccountRecord(name: name, nameHash: Self.hash(name, seed))
        record.user = findOrMakeUser()
        let index = insert(record)
        names.insert(index, hash: record.nameHash)
        if record.user == user { (latestName, latest) = (name, index) }
        return index
    }

    /// Whether there is space for one more account of a producer. There is always space for those of commands without a
    /// producer.
    private func hasRoom(_ limit: Int) -> Bool {
        guard count < min(limit, Self.maxCount) else { return false }
        let reserved = haveUsers || users.count > 0 ? UserTable.maxCount - users.sharedCount : 0
        return records.count + reserved <= Self.maxCount
    }

    /// Removes an account that holds nothing.
    @inline(__always)
    mutating func forgetIfEmpty(_ index: AccountRecord.Index) {
        if index != Self.shared, records[index].isEmpty { forget(index) }
    }

    @inline(never)
    private mutating func forget(_ index: AccountRecord.Index) {
        if records[index].user != UserTable.none { count(Holdings(), of: index) }
        unlink(index)
        if !records[index].isShared { names.remove(index, hash: records[index].nameHash) }
        records.retire(index)
        latest = nil
    }

    private mutating func insert(_ record: AccountRecord) -> AccountRecord.Index {
        let index = records.insert(record)
        link(index)
        return index
    }

    private static func hash(_ name: ProducerID, _ seed: UInt64) -> UInt32 {
        withUnsafeBytes(of: name) { $0.hash(seed: seed) }
    }

    /// Returns the number of live popups of a producer, of all users; `nil` if it has no account.
    func popupCount(of name: ProducerID, seed: UInt64) -> Int? {
        var found: Int?
        _ = names.find(Self.hash(name, seed)) { index in
            if records[index].name == name { found = (found ?? 0) + Int(records[index].live) }
            return false
        }
        return found
    }

    // MARK: - Users

    /// Sets whether accounts have users. Those without one become those of clients without a key, and vice versa.
    mutating func setHaveUsers(_ haveUsers: Bool) {
        guard haveUsers != self.haveUsers else { return }
        self.haveUsers = haveUsers
        hadUsers = true
        if haveUsers, users.addAnonymous() { userHeap.insert(UserTable.anonymous, &users) }
        let (former, next) =
            haveUsers ? (UserTable.none, UserTable.anonymous) : (UserTable.anonymous, UserTable.none)
        for index in Array(records.indices) where records[index].user == former {
            if former != UserTable.none { count(Holdings(), of: index) }
            unlink(index)
            records[index].user = next
            link(index)
        }
        users[UserTable.anonymous].shared = haveUsers ? Self.shared : nil
        resolveUser()
    }

    /// Sets the user of the commands from now on; empty for a client without a key.
    mutating func setUser(_ name: [UInt8]) {
        guard name != userName else { return }
        userName = name
        resolveUser()
    }

    private mutating func resolveUser() {
        latest = nil
        user =
            if !haveUsers { UserTable.none } else if userName.isEmpty { UserTable.anonymous } else {
                users.find(userName) ?? UserTable.missing
            }
        usersShared = user == UserTable.missing ? nil : sharedAccount(of: user)
    }

    /// The user to which the accounts of the current command belong. A user for which there is no space is as a client
    /// without a key.
    private var payingUser: UserTable.Number {
        user == UserTable.missing && users.isFull ? UserTable.anonymous : user
    }

    /// Returns the user that pays for what is added to an account; for what is added to one that would be created if there
    /// is none.
    func user(of payer: AccountRecord.Index?) -> UserTable.Number { payer.map { records[$0].user } ?? payingUser }

    private mutating func findOrMakeUser() -> UserTable.Number {
        let paying = payingUser
        guard paying == UserTable.missing else { return paying }
        user = users.add(userName)
        userHeap.insert(user, &users)
        return user
    }

    private func sharedAccount(of user: UserTable.Number) -> AccountRecord.Index? {
        switch user {
        case UserTable.none: Self.shared
        case UserTable.missing: nil
        default: users[user].shared
        }
    }

    private mutating func findOrMakeShared() -> AccountRecord.Index {
        if let shared = sharedAccount(of: payingUser) { return shared }
        // There is no space if all accounts were created before there were users.
        guard records.count <= Self.maxCount else { return Self.shared }
        let payer = findOrMakeUser()
        return makeShared(of: payer)
    }

    private mutating func makeShared(of payer: UserTable.Number) -> AccountRecord.Index {
        var record = AccountRecord(name: ProducerID(high: 0, low: 0), nameHash: 0)
        record.isShared = true
        record.user = payer
        let index = insert(record)
        users[payer].shared = index
        users.sharedCount += 1
        if payer == user { usersShared = index }
        return index
    }

    /// Adds an account to those of its user.
    private mutating func link(_ index: AccountRecord.Index) {
        let owner = records[index].user
        guard owner != UserTable.none else { return heap.insert(index, &records) }
        users[owner].accounts.insert(index, &records)
        note(index)
    }

    /// Removes an account, for which nothing is counted, from those of its user.
    private mutating func unlink(_ index: AccountRecord.Index) {
        let owner = records[index].user
        guard owner != UserTable.none else { return heap.remove(index, &records) }
        users[owner].accounts.remove(index, &records)
        if users[owner].shared == index {
            users[owner].shared = nil
            if index != Self.shared { users.sharedCount -= 1 }
            if owner == user { usersShared = nil }
        }
        guard owner != UserTable.anonymous, users[owner].accounts.count == 0 else { return }
        userHeap.remove(owner, &users)
        users.remove(owner)
        if owner == user { (user, usersShared, latest) = (UserTable.missing, nil, nil) }
    }

    // MARK: - What users hold

    /// Returns how much the accounts of a user hold together of a table that is divided into shares.
    mutating func held(by user: UserTable.Number, of table: Limits.Name) -> Int {
        guard user != UserTable.none, users.contains(user) else { return 0 }
        countNoted()
        return users[user].holdings.held(of: table)
    }

    /// Notes that an account changes, if it has a user.
    @inline(never)
    private mutating func note(_ index: AccountRecord.Index) {
        let record = records.mutableAddress(of: index)
        if !record.pointee.isNoted, record.pointee.user != UserTable.none { list(index, as: record) }
    }

    @inline(never)
    private mutating func list(_ index: AccountRecord.Index, as record: UnsafeMutablePointer<AccountRecord>) {
        record.pointee.isNoted = true
        noted.append(index)
    }

    /// Bounds the work of the step that begins, in which what a user holds may be asked for.
    mutating func beginStep() {
        if noted.count >= Self.maxNoted { countNoted() }
    }

    private mutating func countNoted() {
        guard !noted.isEmpty else { return }
        for position in 0..<noted.count {
            let index = noted[position]
            // The account may have been removed since, and another one have taken its place.
            guard records.contains(index), records[index].isNoted else { continue }
            records[index].isNoted = false
            if records[index].user != UserTable.none { count(records[index].holdings, of: index) }
        }
        noted.removeAll()
    }

    /// Counts for a user what one of its accounts holds now.
    private mutating func count(_ holdings: Holdings, of index: AccountRecord.Index) {
        let owner = records[index].user
        while counted.count <= index.number { counted.append(Holdings()) }
        let before = counted[index.number]
        counted[index.number] = holdings
        users.count(holdings, insteadOf: before, of: owner)
        if holdings.remembered < before.remembered {
            userHeap.sink(owner, &users)
        } else if holdings.remembered > before.remembered {
            userHeap.rise(owner, &users)
        }
    }

    // MARK: - Snapshots

    /// The names of the users that have one, in byte order.
    var userNames: [[UInt8]] {
        users.all.map { users[$0].name }.filter { !$0.isEmpty }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns the name of the user of an account; empty for none, and for clients without a key.
    func userName(of index: AccountRecord.Index) -> [UInt8] {
        records[index].user == UserTable.none ? [] : users[records[index].user].name
    }

    /// Adds an account of a snapshot.
    ///
    /// - Parameters:
    ///   - name: The producer; `nil` in an account of commands without one.
    ///   - userName: The user; empty for none.
    /// - Returns: The account; `nil` if its user is one too many, or has this account already.
    mutating func restore(_ name: ProducerID?, of userName: [UInt8], seed: UInt64) -> AccountRecord.Index? {
        let owner: UserTable.Number
        if userName.isEmpty {
            owner = haveUsers ? UserTable.anonymous : UserTable.none
        } else if let known = users.find(userName) {
            owner = known
        } else {
            guard !users.isFull else { return nil }
            hadUsers = true
            owner = users.add(userName)
            userHeap.insert(owner, &users)
        }
        guard let name else { return sharedAccount(of: owner) == nil ? makeShared(of: owner) : nil }
        let hash = Self.hash(name, seed)
        let same = names.find(hash) { records[$0].name == name && records[$0].user == owner }
        guard same == nil else { return nil }
        var record = AccountRecord(name: name, nameHash: hash)
        record.user = owner
        let index = insert(record)
        names.insert(index, hash: hash)
        return index
    }

    // MARK: - The account that holds the most

    /// Returns the account with the most remembered ids of the user with the most. Of several users those without a name
    /// go first, then the first by name; of several accounts that of commands without a producer, then the first by name.
    ///
    /// - Parameter ids: The number of remembered ids of all accounts.
    mutating func heaviest(ofAll ids: Int) -> AccountRecord.Index {
        countNoted()
        guard let first = userHeap.first else { return heap.first ?? Self.shared }
        if ids - users.remembered >= Int(users[first].holdings.remembered), let most = heap.first { return most }
        return users[first].accounts.first ?? Self.shared
    }

    /// Returns the account with the most remembered ids of a user; `nil` if it has none.
    func heaviest(of user: UserTable.Number) -> AccountRecord.Index? {
        users.contains(user) ? users[user].accounts.first : nil
    }

    /// Counts a remembered id of an account that is noted.
    @inline(__always)
    mutating func countRemembered(of index: AccountRecord.Index) {
        records[index].remembered += 1
        if records[index].rank > 0 { rise(index) }
    }

    /// Counts a forgotten id of an account that is noted.
    @inline(__always)
    mutating func countForgotten(of index: AccountRecord.Index) {
        records[index].remembered -= 1
        if records.count > 1 { sink(index) }
    }

    private mutating func rise(_ index: AccountRecord.Index) {
        let owner = records[index].user
        guard owner != UserTable.none else { return heap.rise(index, &records) }
        users[owner].accounts.rise(index, &records)
    }

    private mutating func sink(_ index: AccountRecord.Index) {
        let owner = records[index].user
        guard owner != UserTable.none else { return heap.sink(index, &records) }
        if users[owner].accounts.count > 1 { users[owner].accounts.sink(index, &records) }
    }

    /// Whether an account precedes another one: by user, of which those without a name precede all others, then that of
    /// commands without a producer, then by name.
    func precedes(_ index: AccountRecord.Index, _ other: AccountRecord.Index) -> Bool {
        let (mine, theirs) = (records[index].user, records[other].user)
        guard mine != theirs else { return records.precedes(index, other) }
        guard mine > UserTable.anonymous, theirs > UserTable.anonymous else { return mine < theirs }
        return users.precedes(mine, theirs)
    }

    // MARK: - Invariants

    /// Returns a sentence for every broken invariant of the heaps and of the users.
    mutating func brokenInvariants() -> [String] {
        countNoted()
        var broken: [String] = []
        var accounts: [UserTable.Number: Int] = [:]
        var held: [UserTable.Number: Holdings] = [:]
        for index in records.indices {
            let owner = records[index].user
            accounts[owner, default: 0] += 1
            held[owner, default: Holdings()].add(records[index].holdings, insteadOf: Holdings())
            if owner == UserTable.none ? haveUsers : !users.contains(owner) { broken.append("an account has no user") }
        }
        if heap.count != accounts[UserTable.none, default: 0] || !heap.isInOrder(records) {
            broken.append("the accounts are out of order")
        }
        for user in users.all {
            let name = String(decoding: users[user].name, as: UTF8.self)
            let count = accounts[user, default: 0]
            if user != UserTable.anonymous, count == 0 { broken.append("user \(name) has no account") }
            if users[user].accounts.count != count || !users[user].accounts.isInOrder(records) {
                broken.append("the accounts of user \(name) are out of order")
            }
            if users[user].holdings != held[user] ?? Holdings() { broken.append("user \(name) holds another sum") }
            if let shared = users[user].shared, !records.contains(shared) || !records[shared].isShared {
                broken.append("user \(name) has no account of commands without a producer")
            }
        }
        if users.remembered != users.all.reduce(0, { $0 + Int(users[$1].holdings.remembered) }) {
            broken.append("the users together have other ids")
        }
        if userHeap.count != users.all.count || !userHeap.isInOrder(users) {
            broken.append("the users are out of order")
        }
        return broken
    }
}

extension Slab: RankedRecords where Record == AccountRecord {
    func rank(of index: AccountRecord.Index) -> Int32 { self[index].rank }

    mutating func setRank(of index: AccountRecord.Index, to rank: Int32) { self[index].rank = rank }

    /// Whether an account has more remembered ids than another one of its user; of equal ones, the first by name.
    func goesBefore(_ index: AccountRecord.Index, _ other: AccountRecord.Index) -> Bool {
        let (mine, theirs) = (self[index].remembered, self[other].remembered)
        return mine != theirs ? mine > theirs : precedes(index, other)
    }

    /// Whether an account precedes another one of its user by name. That of commands without a producer precedes all
    /// others.
    fileprivate func precedes(_ index: AccountRecord.Index, _ other: AccountRecord.Index) -> Bool {
        guard !self[index].isShared, !self[other].isShared else { return self[index].isShared && index != other }
        let (mine, theirs) = (self[index].name, self[other].name)
        return mine.high != theirs.high ? mine.high < theirs.high : mine.low < theirs.low
    }
}
