/// The counted showings of the groups' caps: for each cap the times of the latest showings, at most as many as it
/// allows, and the accounts that pay for them.
struct CapCounts {
    /// The showings counted by one cap of a group.
    struct Count {
        var cap: Cap
        /// The times of the latest showings in ascending order; at most `cap.most`.
        fileprivate(set) var times: [Milliseconds] = []
        /// For each of these showings the account that pays for it, if there is one.
        fileprivate(set) var payers: [ShortAccount] = []
        /// The timer that is set while the cap is closed, until the first of the times leaves the window.
        var timer: TimerQueue.Index?

        init(cap: Cap) { self.cap = cap }

        /// The time at which a closed cap allows another showing.
        var release: Milliseconds { expiry ?? Milliseconds(cap.window) }
        var isFull: Bool { times.count == Int(cap.most) }
        /// Whether the cap is closed because there was no space to count a showing.
        var lacksSpace: Bool { timer != nil && !isFull }

        /// The time at which the first of the showings leaves the window; `nil` if there are none.
        fileprivate var expiry: Milliseconds? { times.first.map { $0 + Milliseconds(cap.window) } }

        /// Adds a showing, for which an account may pay.
        mutating func append(_ time: Milliseconds, paidBy account: AccountRecord.Index?) {
            times.append(time)
            payers.append(ShortAccount(account))
        }

        /// Returns the payers of the showings that left the window by then, at most `limit`, the earliest first.
        fileprivate func payersOfShowings(before now: Milliseconds, atMost limit: Int) -> [ShortAccount] {
            let left = times.prefix(limit).prefix { $0 + Milliseconds(cap.window) <= now }
            return Array(payers.prefix(left.count))
        }

        fileprivate mutating func removeFirst(_ number: Int = 1) {
            // An empty cap needs no memory.
            guard number < times.count else { return (times, payers) = ([], []) }
            times.removeFirst(number)
            payers.removeFirst(number)
        }
    }

    private var counts: [GroupRecord.Index: [Count]] = [:]
    private var expiries = ShowingExpiries()
    /// The number of remembered showings of all caps for which an account pays.
    private(set) var showings = 0

    init() {}

    /// The counts of a group's caps, in the order of its policy.
    subscript(group: GroupRecord.Index) -> [Count] { counts.isEmpty ? [] : counts[group] ?? [] }

    /// Whether a group has caps.
    func has(_ group: GroupRecord.Index) -> Bool { !counts.isEmpty && counts[group] != nil }

    /// Returns the number of remembered showings of a group.
    func showings(of group: GroupRecord.Index) -> Int { self[group].reduce(0) { $0 + $1.times.count } }

    /// Replaces the counts of a group, removing the group if there are none.
    mutating func set(
        _ new: [Count], of group: GroupRecord.Index, named name: ByteReference, _ accounts: inout Accounts,
        _ store: borrowing ByteStore
    ) {
        let former = self[group]
        // The new showings first, so that no account is removed that pays for them.
        for payer in new.lazy.flatMap(\.payers) { charge(payer, &accounts) }
        counts[group] = new.isEmpty ? nil : new
        for payer in former.lazy.flatMap(\.payers) { discharge(payer, &accounts) }
        expiries.set(new.expiry, of: group, named: name, in: store)
    }

    /// Replaces the caps of a group. A cap continues with the showings counted by a former cap with the same key; if
    /// there are several, with those of the one that has the same window. No timer is set then.
    ///
    /// Several caps may continue with the showings of the same former cap. The second and further ones lack space if
    /// shares would apply to the table of `limit` showings then. Such a cap begins with the last showing, for which no
    /// account pays.
    ///
    /// - Returns: For each cap whether it is closed: it is full, it lacks space, or the former cap did.
    mutating func setCaps(
        _ caps: [Cap], of group: GroupRecord.Index, named name: ByteReference, limit: Int, _ accounts: inout Accounts,
        _ store: borrowing ByteStore
    ) -> [Bool] {
        let former = self[group]
        var isContinued = [Bool](repeating: false, count: former.count)
        var copied = 0
        var isClosed: [Bool] = []
        let continued = caps.map { cap in
            var count = Count(cap: cap)
            var lacksSpace = false
            defer { isClosed.append(lacksSpace || count.isFull) }
            let same = former.indices.filter { former[$0].cap.key == cap.key }
            guard let predecessor = same.first(where: { former[$0].cap.window == cap.window }) ?? same.first else {
                return count
            }
            lacksSpace = former[predecessor].lacksSpace
            let times = former[predecessor].times.suffix(Int(cap.most))
            if isContinued[predecessor], let last = times.last {
                let used = showings + copied + times.count
                if Share.isShort(used, free: limit - used) {
                    lacksSpace = true
                    count.append(last, paidBy: nil)
                    return count
                }
                copied += times.count
            }
            isContinued[predecessor] = true
            count.times = Array(times)
            count.payers = Array(former[predecessor].payers.suffix(times.count))
            return count
        }
        set(continued, of: group, named: name, &accounts, store)
        return isClosed
    }

    mutating func setTimer(_ timer: TimerQueue.Index?, of index: Int, in group: GroupRecord.Index) {
        counts[group]?[index].timer = timer
    }

    // MARK: - Showings

    /// Counts a showing. Returns whether the cap is closed then.
    ///
    /// A full cap forgets its oldest showing. If no account pays for another one, the showing takes the place of the
    /// oldest one, whose account pays for it then, and the cap is closed as a full one is.
    mutating func count(
        _ index: Int, of group: GroupRecord.Index, named name: ByteReference, at time: Milliseconds,
        paidBy account: AccountRecord.Index?, _ accounts: inout Accounts, _ store: borrowing ByteStore
    ) -> Bool {
        guard let isFull = counts[group]?[index].isFull else { return false }
        let oldest = counts[group]?[index].payers.first
        let payer = ShortAccount(account ?? oldest?.accountIfAny)
        // In place: a copy would take up to 10,000 showings.
        counts[group]?[index].append(time, paidBy: payer.accountIfAny)
        charge(payer, &accounts)
        if let oldest, isFull || account == nil {
            counts[group]?[index].removeFirst()
            discharge(oldest, &accounts)
        }
        expiries.set(self[group].expiry, of: group, named: name, in: store)
        return account == nil || self[group][index].isFull
    }

    /// Replaces the reference to the name of a group: its text has moved.
    mutating func rename(_ group: GroupRecord.Index, to name: ByteReference) { expiries.rename(group, to: name) }

    /// Returns the group whose showing left its window first, if any has by then.
    @inline(__always)
    func firstToForget(at now: Milliseconds) -> GroupRecord.Index? { expiries.next <= now ? expiries.first : nil }

    /// Removes the showings of a group that have left the windows of their caps, at most `limit`: those of its first
    /// cap first. Returns their number.
    @discardableResult
    mutating func forgetShowings(
        of group: GroupRecord.Index, named name: ByteReference, at now: Milliseconds, atMost limit: Int = .max,
        _ accounts: inout Accounts, _ store: borrowing ByteStore
    ) -> Int {
        var forgotten = 0
        for index in self[group].indices {
            let payers = self[group][index].payersOfShowings(before: now, atMost: limit - forgotten)
            guard !payers.isEmpty else { continue }
            counts[group]?[index].removeFirst(payers.count)
            for payer in payers { discharge(payer, &accounts) }
            forgotten += payers.count
        }
        expiries.set(self[group].expiry, of: group, named: name, in: store)
        return forgotten
    }

    private mutating func charge(_ payer: ShortAccount, _ accounts: inout Accounts) {
        guard let account = payer.accountIfAny else { return }
        accounts[account].showings += 1
        showings += 1
    }

    private mutating func discharge(_ payer: ShortAccount, _ accounts: inout Accounts) {
        guard let account = payer.accountIfAny else { return }
        accounts[account].showings -= 1
        showings -= 1
        accounts.forgetIfEmpty(account)
    }

    // MARK: - Invariants

    /// The number of showings for which each account pays.
    var showingsByAccount: [AccountRecord.Index: Int] {
        let payers = counts.values.joined().flatMap(\.payers).compactMap(\.accountIfAny)
        return payers.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    /// Returns a sentence for every broken invariant.
    func brokenInvariants(_ store: borrowing ByteStore) -> [String] {
        var broken: [String] = []
        let paid = showingsByAccount.values.reduce(0, +)
        if paid != showings { broken.append("\(showings) showings are counted, \(paid) are remembered") }
        for count in counts.values.joined() {
            if count.times.count > Int(count.cap.most) { broken.append("a cap remembers more showings than it allows") }
            if count.times.count != count.payers.count { broken.append("a cap has showings without a payer's field") }
            if zip(count.times, count.times.dropFirst()).contains(where: { $0 > $1 }) {
                broken.append("the showings of a cap are out of order")
            }
            if count.timer != nil, count.times.isEmpty { broken.append("a cap is closed and has counted nothing") }
        }
        if counts.values.contains(where: \.isEmpty) { broken.append("a group without caps is listed") }
        return broken + expiries.brokenInvariants(of: counts.compactMapValues(\.expiry), store)
    }
}

extension [CapCounts.Count] {
    /// The time at which the first of the showings leaves its window; `nil` if there are none.
    fileprivate var expiry: Milliseconds? {
        var first: Milliseconds?
        for count in self {
            if let expiry = count.expiry, expiry < first ?? .max { first = expiry }
        }
        return first
    }
}
