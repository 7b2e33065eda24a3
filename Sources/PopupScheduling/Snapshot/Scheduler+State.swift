// All that a scheduler's future depends on, as bytes: two schedulers with the same bytes give the same events from then
// on. Nothing in them depends on the order of a hash table or on where in a table a record lies; tables follow from
// names and numbers, and are left out.
//
//     version ─ numbers ─ accounts ─ policies ─ suspensions ─ pages ─ renderers ─ flows ─ groups with their popups ─ idle groups
//     ─ closed popups
//
// What one of them names stands before it, and is named by its place. `init(restoring:limits:)` reads it.
extension Scheduler {
    /// The version of the state's format, which is the first number of its bytes.
    public static let stateVersion: UInt64 = 3

    /// Appends the whole state. O(n) in all that there is, and O(g log g) in groups that are new since it was last made.
    ///
    /// What the last step has left to do is done first, and not told: a state stands between commands, not within one.
    public mutating func appendState(to bytes: inout [UInt8]) {
        var untold = EventBuffer()
        while hasWork { _ = step(until: now, into: &untold) }
        let order = StateOrder(of: &self)
        bytes.reserveCapacity(bytes.count + stateBytes)
        var encoder = StateEncoder(appendingTo: &bytes)
        encoder.add(Self.stateVersion)
        encodeNumbers(&encoder)
        encodeAccounts(order, &encoder)
        encodePolicies(order, &encoder)
        encodeSuspensions(order, &encoder)
        encodePages(order, &encoder)
        encodeClients(order, &encoder)
        encodeFlows(order, &encoder)
        for group in order.groups { encodeGroup(group, order, &encoder) }
        encoder.add(idleGroups.waiting) { $0.add(order.place(ofGroup: $1)) }
        closedPopups.forEach { encodeClosed($0, order, &encoder) }
        encoder.finish(&bytes)
    }

    /// About how many bytes the state takes: so much is reserved that it needn't be moved while it grows.
    private var stateBytes: Int {
        store.usedBytes + 96 * popups.count + 48 * groups.count + 24 * closedPopups.count
    }

    private func encodeNumbers(_ encoder: inout StateEncoder) {
        encoder.add(now)
        encoder.add(hashSeed)
        encoder.add(generator.state)
        encoder.add(acceptances)
        encoder.add(pauses)
        encoder.add(activations)
        encoder.add(forgottenRevision)
        encoder.add(suspensions.latest)
        encoder.add(timers.settings)
        encoder.add(nextForgettingOfShowings)
        for count in [timers.count, groups.count, popups.count, keys.count, closedPopups.count] {
            encoder.add(UInt64(count))
        }
    }

    private func encodeAccounts(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(attended)
        encoder.add(forgottenEarly) { $0.add($1) }
        encoder.add(order.accounts.dropFirst()) { encoder, account in
            encoder.add(accounts[account].name.high)
            encoder.add(accounts[account].name.low)
        }
    }

    private func encodeSuspensions(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(suspensions.records) { encoder, record in
            encoder.add(record.token)
            encoder.add(record.pattern)
            encoder.add(record.threshold)
            encoder.add(record.number)
            encodeOwner(record.account, order, &encoder)
        }
    }

    private func encodeClosed(_ record: ClosedPopups.Record, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(store[record.id])
        encoder.add(order.place(ofAccount: record.account))
        encoder.add(order.place(ofGroup: record.group))
        encoder.add(order.place(ofFlow: record.flow)) { $0.add($1) }
        encoder.add(record.reason.rawValue)
        encoder.add(store[record.detail])
        encoder.add(record.at)
        encoder.add(record.displayed)
    }

    /// The account to which something belongs.
    func encodeOwner(_ account: AccountRecord.Index?, _ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(account.map { order.place(ofAccount: $0) }) { $0.add($1) }
    }

    /// When a timer falls due, and its place among those of one instant.
    func encodeTimer(_ timer: TimerQueue.Index?, _ encoder: inout StateEncoder) {
        encoder.add(timer) { encoder, timer in
            encoder.add(timers.due(timer))
            encoder.add(timers.order(of: timer))
        }
    }
}
