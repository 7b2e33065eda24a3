// Shares: of each table that producers fill, one account may hold a multiple of what is free (Choudhury and Hahne,
// "Dynamic Queue Length Thresholds", 1998). So one alone can have nearly all, and none shuts others out.

/// How much of a table one account may hold.
enum Share {
    /// Whether who holds so much holds more than `Limits.shareOfFree` times what is free.
    @inline(__always)
    static func isExceeded(by held: Int, free: Int) -> Bool {
        (held + Limits.shareOfFree - 1) / Limits.shareOfFree > free
    }

    /// Whether a table is so full that an account may hold more than its share.
    @inline(__always)
    static func isShort(_ used: Int, free: Int) -> Bool { used / Limits.shareOfFree >= free }
}

extension Scheduler {
    /// Why a producer may add nothing to a table of which so much is used: it is full, or the producer's account holds
    /// more than its share.
    @inline(__always)
    mutating func admissionError(
        in table: Limits.Name, used: Int, of limit: Int, for producer: ProducerID?
    ) -> Refusal? {
        guard Share.isShort(used, free: limit - used) else { return nil }
        if used >= limit { return .limit(table) }
        return exceedsShare(of: table, free: limit - used, producer) ? .share(table) : nil
    }

    @inline(never)
    private mutating func exceedsShare(of table: Limits.Name, free: Int, _ producer: ProducerID?) -> Bool {
        guard let payer = accounts.payer(producer, seed: store.hashSeed, limit: limits.accounts) else { return false }
        return Share.isExceeded(by: accounts[payer].held(of: table), free: free)
    }

    /// The account of whoever told the command of this step, made if there is none.
    mutating func sendersAccount() -> AccountRecord.Index {
        accounts.findOrMake(transaction.sender, seed: store.hashSeed, limit: limits.accounts)
    }

    /// Changes what an account holds, and forgets one that holds nothing then. What belongs to none is not counted.
    @inline(__always)
    mutating func count(of account: AccountRecord.Index?, _ change: (inout AccountRecord) -> Void) {
        guard let account else { return }
        change(&accounts[account])
        accounts.forgetIfEmpty(account)
    }

    /// Charges an account with the texts that were stored since `bytes` were used, or credits those that were released.
    @inline(__always)
    mutating func charge(_ account: AccountRecord.Index?, since bytes: Int) {
        if let account { accounts[account].bytes += store.usedBytes - bytes }
    }

    // MARK: - Room for texts

    /// Why there is no room for so many bytes of texts of a producer.
    @inline(__always)
    mutating func admissionError(toStoring bytes: Int, for producer: ProducerID?) -> Refusal? {
        guard isShort(of: bytes) else { return nil }
        return makeRoom(for: bytes, accounts.payer(producer, seed: store.hashSeed, limit: limits.accounts))
    }

    /// Why there is no room for so many bytes of texts of an account.
    mutating func admissionError(toStoring bytes: Int, of account: AccountRecord.Index?) -> Refusal? {
        isShort(of: bytes) ? makeRoom(for: bytes, account) : nil
    }

    /// Whether so little would be left that some account may hold more than its share.
    @inline(__always)
    private func isShort(of bytes: Int) -> Bool {
        let used = store.usedBytes + bytes
        return Share.isShort(used, free: limits.contentBytes - used)
    }

    /// Gives room for texts: first what is nobody's goes, then what is remembered of the payer while it holds more than
    /// its share, then, if there is none at all, what is remembered of those that hold most.
    @inline(never)
    private mutating func makeRoom(for bytes: Int, _ payer: AccountRecord.Index?) -> Refusal? {
        for _ in 0..<Self.mostForgottenAtOnce where isShort(of: bytes) {
            guard forgetIdleGroup() else { break }
        }
        for _ in 0..<Self.mostForgottenAtOnce where exceedsShareOfBytes(payer, adding: bytes) {
            guard let payer, forgetIDEarly(of: payer) else { break }
        }
        for _ in 0..<Self.mostForgottenAtOnce where store.usedBytes + bytes > limits.contentBytes {
            guard forgetIDEarly(of: accounts.heaviest) else { break }
        }
        if store.usedBytes + bytes > limits.contentBytes { return .limit(.contentBytes) }
        return exceedsShareOfBytes(payer, adding: bytes) ? .share(.contentBytes) : nil
    }

    private func exceedsShareOfBytes(_ payer: AccountRecord.Index?, adding bytes: Int) -> Bool {
        guard let payer, accounts.contains(payer) else { return false }
        return Share.isExceeded(by: accounts[payer].bytes, free: limits.contentBytes - store.usedBytes - bytes)
    }
}
