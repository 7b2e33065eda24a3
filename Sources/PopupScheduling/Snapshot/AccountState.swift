// The encoding of accounts, suspensions and closed popups. Each encoding function is above its decoding function. See
// `appendState`.
extension Scheduler {
    func encodeAccounts(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(clock.lastInput)
        encoder.add(clock.lead)
        encoder.add(popups.closed.forgottenEarly) { $0.add($1) }
        encoder.add(order.users) { $0.add($1) }
        encoder.add(order.accounts.dropFirst()) { encoder, account in
            encoder.add(order.position(ofUser: accounts.userName(of: account)))
            encoder.add(accounts[account].isShared ? nil : accounts[account].name) { encoder, name in
                encoder.add(name.high)
                encoder.add(name.low)
            }
        }
    }

    mutating func restoreAccounts(_ decoder: inout StateDecoder) throws(SnapshotError) {
        guard decoder.version > 1 else {
            clock.lastInput = now
            return
        }
        clock.lastInput = try restoredTime(&decoder)
        if decoder.version > 3 {
            clock.setWallClock(ahead: try decoder.signed(in: -TimeLimits.latest...TimeLimits.latest))
        }
        if try decoder.flag() { popups.countForgottenEarly(at: try restoredTime(&decoder)) }
        let users = try restoredUsers(&decoder)
        for _ in 0..<min(Accounts.maxCount, try decoder.count(eachAtLeast: 2)) {
            guard let former = accounts.index(at: accounts.capacity - 1) else { return }
            let user = decoder.version > 7 ? try decoder.number(atMost: UInt64(users.count - 1)) : 0
            let isNamed = decoder.version < 8 ? true : try decoder.flag()
            let name = isNamed ? ProducerID(high: try decoder.number(), low: try decoder.number()) : nil
            let account = accounts.restore(name, of: users[Int(user)], seed: store.hashSeed)
            guard let account, account.number == former.number + 1, accounts.precedes(former, account) else {
                throw decoder.damaged("the accounts are out of order")
            }
        }
        guard accounts.userNames.count == users.count - 1 else { throw decoder.damaged("a user has no account") }
    }

    /// Returns the names of the users, after the empty one of none. Versions before 8 contain no user.
    private func restoredUsers(_ decoder: inout StateDecoder) throws(SnapshotError) -> [[UInt8]] {
        var users: [[UInt8]] = [[]]
        guard decoder.version > 7 else { return users }
        for _ in 0..<(try decoder.count(eachAtLeast: 1)) {
            let name = try decoder.array()
            guard let last = users.last, last.lexicographicallyPrecedes(name) else {
                throw decoder.damaged("the users are out of order")
            }
            users.append(name)
        }
        return users
    }

    func encodeSuspensions(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(policies.suspensions.records) { encoder, record in
            encoder.add(record.token)
            encoder.add(record.pattern)
            encoder.add(record.threshold)
            encoder.add(record.number)
            encodeOwner(record.account, order, &encoder)
            encoder.add(record.since) { $0.add($1) }
            encoder.add(record.user)
        }
    }

    mutating func restoreSuspensions(_ decoder: inout StateDecoder) throws(SnapshotError) {
        var tokens: Set<[UInt8]> = []
        for _ in 0..<(try decoder.count(eachAtLeast: 4)) {
            var record = SuspensionTable.Record(
                token: try decoder.array(), pattern: try decoder.array(), threshold: try decoder.signed(),
                number: try decoder.number(atMost: policies.suspensions.latest))
            record.account = try restoredOwner(&decoder)
            if let account = record.account { accounts[account].tokens += 1 }
            if decoder.version > 5 {
                if try decoder.flag() { record.since = try restoredTime(&decoder) }
                record.user = try decoder.array()
            }
            guard tokens.insert(record.token).inserted else { throw decoder.damaged("a token comes twice") }
            policies.suspensions.restore(record)
        }
    }

    func encodeClosed(_ record: ClosedPopups.Record, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(store[record.id])
        encoder.add(order.position(ofAccount: record.account))
        encoder.add(order.position(ofGroup: record.group))
        encoder.add(order.position(ofFlow: record.flow)) { $0.add($1) }
        encoder.add(record.reason.rawValue)
        encoder.add(store[record.detail])
        encoder.add(record.at)
        encoder.add(record.displayed)
    }

    mutating func restoreClosed(_ decoder: inout StateDecoder) throws(SnapshotError) {
        let id = try decoder.text(atMost: Limits.nameBytes)
        let idHash = store.hash(id)
        guard findID(id, hash: idHash) == nil else { throw decoder.damaged("an id comes twice") }
        let account = try restoredAccount(of: nil, &decoder)
        let group = try restoredGroup(&decoder)
        let bytes = store.usedBytes
        let record = ClosedPopups.Record(
            id: try keep(id, decoder), idHash: idHash, account: account, group: group,
            flow: try restoredFlow(of: group, &decoder), reason: try decoder.word(),
            detail: try keep(decoder.text(atMost: Limits.nameBytes), decoder),
            at: try restoredTime(&decoder), displayed: try decoder.signed(in: 0...Self.lastTime))
        let holder = accounts.mutableAddress(of: account)
        popups.restore(record, &holder.pointee.closed)
        charge(holder, since: bytes)
        accounts.countRemembered(of: account)
        groups[group].references += 1
        if let flow = record.flow { flows[flow].remembered += 1 }
    }
}
