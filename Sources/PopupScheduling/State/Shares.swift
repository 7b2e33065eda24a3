// Shares: of each table that producers fill, an account may hold at most a multiple of the free entries (Choudhury and
// Hahne, "Dynamic Queue Length Thresholds", 1998). So a single account can use nearly the whole table, and none can
// exclude others. In a broker with keys the same is true of all accounts of a user together, because a user can name any
// number of producers.

/// The share of a table that one account, or one user, may hold.
package enum Share {
    /// Whether `held` is more than `Limits.shareOfFree` times `free`.
    @inline(__always)
    package static func isExceeded(by held: Int, free: Int) -> Bool {
        (held + Limits.shareOfFree - 1) / Limits.shareOfFree > free
    }

    /// Whether a table is so full that an account or a user may exceed its share.
    @inline(__always)
    package static func isShort(_ used: Int, free: Int) -> Bool { used / Limits.shareOfFree >= free }
}

extension Scheduler {
    /// Returns the refusal if a producer may not add an entry to a table: the table is full, or the producer's account
    /// or its user exceeds its share.
    @inline(__always)
    mutating func admissionError(
        in table: Limits.Name, used: Int, of limit: Int, for producer: ProducerID?
    ) -> Refusal? {
        guard Share.isShort(used, free: limit - used) else { return nil }
        return used >= limit ? .limit(table) : shareError(in: table, free: limit - used, producer)
    }

    @inline(never)
    private mutating func shareError(in table: Limits.Name, free: Int, _ producer: ProducerID?) -> Refusal? {
        shareError(
            in: table, free: free, of: accounts.payer(producer, seed: store.hashSeed, limit: limits.accounts))
    }

    /// Returns the refusal if an account, or its user, holds more of a table than its share.
    ///
    /// - Parameter payer: The account; `nil` for one that would be created for the user of the command.
    mutating func shareError(in table: Limits.Name, free: Int, of payer: AccountRecord.Index?) -> Refusal? {
        if let payer, Share.isExceeded(by: accounts[payer].held(of: table), free: free) { return .share(table) }
        guard limits.usersHaveShares else { return nil }
        let held = accounts.held(by: accounts.user(of: payer), of: table)
        return Share.isExceeded(by: held, free: free) ? .userShare(table) : nil
    }

    /// Returns the account of the sender of the current command, creating it if needed.
    mutating func sendersAccount() -> AccountRecord.Index {
        accounts.findOrMake(transaction.sender, seed: store.hashSeed, limit: limits.accounts)
    }

    /// Changes what an account holds, and removes the account if it holds nothing then. Has no effect without an
    /// account.
    @inline(__always)
    mutating func count(of account: AccountRecord.Index?, _ change: (inout AccountRecord) -> Void) {
        guard let account else { return }
        change(&accounts[account])
        accounts.forgetIfEmpty(account)
    }

    /// Charges an account for the texts stored since `bytes` were used, or credits it for those released.
    @inline(__always)
    mutating func charge(_ account: AccountRecord.Index?, since bytes: Int) {
        if let account { accounts[account].bytes += store.usedBytes - bytes }
    }

    @inline(__always)
    func charge(_ account: UnsafeMutablePointer<AccountRecord>, since bytes: Int) {
        account.pointee.bytes += store.usedBytes - bytes
    }

    // MARK: - Space for texts

    /// Returns the refusal if there is no space for this many bytes of texts of a producer.
    @inline(__always)
    mutating func admissionError(toStoring bytes: Int, for producer: ProducerID?) -> Refusal? {
        isShort(of: bytes) ? makeRoom(for: bytes, of: producer) : nil
    }

    @inline(never)
    private mutating func makeRoom(for bytes: Int, of producer: ProducerID?) -> Refusal? {
        makeRoom(for: bytes, accounts.payer(producer, seed: store.hashSeed, limit: limits.accounts))
    }

    /// Returns the refusal if there is no space for this many bytes of texts of an account.
    mutating func admissionError(toStoring bytes: Int, of account: AccountRecord.Index?) -> Refusal? {
        isShort(of: bytes) ? makeRoom(for: bytes, account) : nil
    }

    /// Whether so little space would remain that an account or a user may exceed its share.
    @inline(__always)
    private func isShort(of bytes: Int) -> Bool {
        let used = store.usedBytes + bytes
        return Share.isShort(used, free: limits.contentBytes - used)
    }

    /// Makes space for texts: removes idle groups, then remembered ids of the paying account while it exceeds its share,
    /// then those of its user while that exceeds its share, and finally, if there is no space at all, remembered ids of
    /// the accounts that hold the most. Returns the refusal if that does not suffice.
    @inline(never)
    private mutating func makeRoom(for bytes: Int, _ payer: AccountRecord.Index?) -> Refusal? {
        for _ in 0..<Self.maxForgottenPerCommand where isShort(of: bytes) {
            guard forgetIdleGroup() else { break }
        }
        // Without ids, the account and its user may be removed.
        let user = accounts.user(of: payer)
        for _ in 0..<Self.maxForgottenPerCommand where exceedsShareOfBytes(payer, adding: bytes) {
            guard let payer, forgetIDEarly(of: payer) else { break }
        }
        for _ in 0..<Self.maxForgottenPerCommand where exceedsShareOfBytes(user, adding: bytes) {
            guard let most = accounts.heaviest(of: user), forgetIDEarly(of: most) else { break }
        }
        for _ in 0..<Self.maxForgottenPerCommand where store.usedBytes + bytes > limits.contentBytes {
            guard forgetIDEarly(of: heaviestAccount()) else { break }
        }
        if store.usedBytes + bytes > limits.contentBytes { return .limit(.contentBytes) }
        if exceedsShareOfBytes(payer, adding: bytes) { return .share(.contentBytes) }
        return exceedsShareOfBytes(user, adding: bytes) ? .userShare(.contentBytes) : nil
    }

    private func exceedsShareOfBytes(_ payer: AccountRecord.Index?, adding bytes: Int) -> Bool {
        guard let payer, accounts.contains(payer) else { return false }
        return Share.isExceeded(by: accounts[payer].bytes, free: limits.contentBytes - store.usedBytes - bytes)
    }

    private mutating func exceedsShareOfBytes(_ user: UserTable.Number, adding bytes: Int) -> Bool {
        guard limits.usersHaveShares else { return false }
        let held = accounts.held(by: user, of: .contentBytes)
        return Share.isExceeded(by: held, free: limits.contentBytes - store.usedBytes - bytes)
    }

    /// Returns the account with the most remembered ids, of the user with the most.
    mutating func heaviestAccount() -> AccountRecord.Index { accounts.heaviest(ofAll: popups.closed.count) }
}
