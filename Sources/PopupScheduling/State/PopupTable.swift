/// The live popups and the remembered closed ones by id, the holders of collapse keys, and the delayed popups by key.
struct PopupTable: ~Copyable {
    private var live = Slab<PopupRecord>()
    /// The remembered closed popups.
    private(set) var closed = ClosedPopups()
    private var ids: NameTable<PopupReference>
    private var keys: NameTable<PopupRecord.Index>
    private var delayedKeys = DelayedKeys()
    /// The fields that only some live popups have: see `RelationFields`.
    var relations = Slab<RelationFields>()
    private var rare = Slab<RareFields>()
    /// The number of acceptances and of moves to the end of a priority. It determines the order of popups.
    private(set) var acceptances: UInt64
    /// The number of times that a popup was paused.
    private(set) var pauses: Int64

    /// Makes functions that read the table receive its address instead of a copy.
    private let pin = Pin()

    /// Creates an empty table with space for this many ids and keys.
    init(idCapacity: Int = 0, keyCapacity: Int = 0, acceptances: UInt64 = 0, pauses: Int64 = 0) {
        ids = NameTable(capacity: idCapacity)
        keys = NameTable(capacity: keyCapacity)
        self.acceptances = acceptances
        self.pauses = pauses
    }

    /// The number of live popups.
    var count: Int { live.count }

    /// All live popups in the order of their positions. O(n).
    var indices: some Sequence<PopupRecord.Index> { live.indices }

    /// Whether a popup is still live.
    func contains(_ popup: PopupRecord.Index) -> Bool { live.contains(popup) }

    /// The index of the next popup that is added.
    var nextIndex: PopupRecord.Index { live.nextIndex }

    subscript(popup: PopupRecord.Index) -> PopupRecord {
        @inline(__always) unsafeAddress { live.address(of: popup) }
        @inline(__always) unsafeMutableAddress { live.mutableAddress(of: popup) }
    }

    /// The exclusive upper bound of all positions of live popups.
    var capacity: Int { live.capacity }

    /// Lets a sparse store move the texts of the live popup at a position, if there is one: its id only if no closed
    /// popup borrows a text.
    mutating func compactTexts(at position: Int, andID: Bool, in store: inout ByteStore) {
        guard let popup = live.index(at: position) else { return }
        store.compact(&live[popup].body)
        if andID { store.compact(&live[popup].id) }
        if let index = live[popup].relations { relations[index].compactTexts(in: &store) }
    }

    /// Lets a sparse store move the texts of the closed popup at a position, if there is one.
    mutating func compactTextsOfClosed(at position: Int, andID: Bool, in store: inout ByteStore) {
        closed.compactTexts(at: position, andID: andID, in: &store)
    }

    // MARK: - The phases of a popup

    /// Returns the number of a popup that is accepted, or that moves behind all others of its priority.
    @inline(__always)
    mutating func nextAcceptance() -> UInt64 {
        acceptances += 1
        return acceptances
    }

    /// Returns the rank of a popup that is paused. It precedes all others of its priority.
    @inline(__always)
    mutating func nextPausedRank() -> Int64 {
        pauses += 1
        return -pauses
    }

    /// Adds a live popup. Its id must be new.
    @inline(__always)
    mutating func add(_ record: PopupRecord) -> PopupRecord.Index {
        let popup = live.insert(record)
        ids.insert(.live(popup), hash: record.idHash)
        return popup
    }

    /// Removes the id and the acceptance of the popup that was accepted last. Its record stays until it is removed.
    mutating func withdraw(_ popup: PopupRecord.Index) {
        assert(live[popup].acceptance == acceptances, "a popup is withdrawn that is not the latest")
        ids.remove(.live(popup), hash: live[popup].idHash)
        acceptances -= 1
    }

    /// Sets how long contents of closed popups are shortened before they are kept.
    mutating func shortenClosedContents(by shortener: @escaping Scheduler.ContentShortener) {
        closed.shortenContents(by: shortener)
    }

    /// Replaces a live popup by a closed one under its id. The live record stays until it is removed.
    mutating func close(
        _ popup: PopupRecord.Index, as record: ClosedPopups.Record, _ ends: inout ClosedPopups.Ends,
        content: UnsafeRawBufferPointer
    ) -> ClosedPopups.Index {
        let index = closed.append(record, &ends)
        closed.keepContent(content, of: index, in: record.group, closedAt: record.at)
        ids.replace(.live(popup), with: .closed(index), hash: record.idHash)
        return index
    }

    /// Replaces the record of a popup that has closed by that of a newcomer, which is the last of its group's
    /// acceptance order. The newcomer's id must be new.
    @inline(__always)
    mutating func replaceRecord(
        _ closed: PopupRecord.Index, by record: PopupRecord, in order: inout List<Acceptances>, at vacancy: Vacancy
    ) {
        if order.last == closed {
            let previous = self.previous(before: closed, Acceptances.self)
            live[closed] = record
            setPrevious(of: closed, to: previous, Acceptances.self)
        } else {
            remove(closed, from: &order)
            live[closed] = record
            append(closed, to: &order)
        }
        ids.insert(.live(closed), hash: record.idHash, at: vacancy)
    }

    /// Removes the record of a popup that is not live any more.
    @inline(__always)
    mutating func remove(_ popup: PopupRecord.Index) {
        live.retire(popup)
    }

    /// Adds a closed popup, as the one that closed last.
    mutating func restore(_ record: ClosedPopups.Record, _ ends: inout ClosedPopups.Ends) {
        ids.insert(.closed(closed.append(record, &ends)), hash: record.idHash)
    }

    /// Removes the oldest closed popup of its account.
    mutating func forget(_ index: ClosedPopups.Index, _ ends: inout ClosedPopups.Ends) {
        ids.remove(.closed(index), hash: closed[index].idHash)
        closed.remove(index, &ends)
    }

    /// Records that a popup which closed at a time is forgotten early.
    mutating func countForgottenEarly(at time: Milliseconds) {
        closed.forgottenEarly = max(closed.forgottenEarly ?? .min, time)
    }

    /// Returns the live or closed popup of an id with this hash.
    @inline(__always)
    func find(_ id: UnsafeRawBufferPointer, hash: UInt32, in store: borrowing ByteStore) -> PopupReference? {
        ids.find(hash) { self.id(of: $0, in: store).equals(id) }
    }

    typealias Vacancy = NameTable<PopupReference>.Vacancy

    /// Returns the place for a new id with this hash; `nil` if there is a live or closed popup with this id.
    @inline(__always)
    func vacancy(for id: UnsafeRawBufferPointer, hash: UInt32, in store: borrowing ByteStore) -> Vacancy? {
        ids.vacancy(hash) { self.id(of: $0, in: store).equals(id) }
    }

    @inline(__always)
    private func id(of reference: PopupReference, in store: borrowing ByteStore) -> UnsafeRawBufferPointer {
        switch reference {
        case .live(let popup): store[live[popup].id]
        case .closed(let record): store[closed[record].id]
        }
    }

    // MARK: - Fields that only some popups have

    /// Returns the relation fields of a popup, creating them if it has none.
    mutating func makeRelations(of popup: PopupRecord.Index) -> RelationFields.Index {
        if let index = live[popup].relations { return index }
        let index = relations.insert(RelationFields(of: popup))
        live[popup].relations = index
        return index
    }

    /// Removes the relation fields of a popup, if it has any.
    mutating func removeRelations(of popup: PopupRecord.Index) {
        guard let index = live[popup].relations else { return }
        relations.remove(index)
        live[popup].relations = nil
    }

    /// Returns the rare fields of a popup; the defaults if it has none.
    @inline(__always)
    func rareFields(of popup: PopupRecord.Index) -> RareFields {
        live[popup].rareFields.map { rare[$0] } ?? RareFields()
    }

    /// Changes the rare fields of a popup, creating them if it has none.
    @inline(__always)
    mutating func changeRareFields(of popup: PopupRecord.Index, _ change: (inout RareFields) -> Void) {
        let index = live[popup].rareFields ?? rare.insert(RareFields())
        live[popup].rareFields = index
        change(&rare[index])
    }

    /// Removes the rare fields of a popup, if it has any.
    @inline(__always)
    mutating func removeRareFields(of popup: PopupRecord.Index) {
        guard let index = live[popup].rareFields else { return }
        rare.remove(index)
        live[popup].rareFields = nil
    }

    /// Returns the rank that a popup has while it waits.
    func turn(of popup: PopupRecord.Index) -> Int64 {
        rareFields(of: popup).turn ?? Int64(live[popup].acceptance)
    }

    // MARK: - Collapse keys

    /// The number of popups that hold a key.
    var keyCount: Int { keys.count }

    /// Returns the popup that holds a key with this hash.
    func keyHolder(_ hash: UInt32, matches: (PopupRecord.Index) -> Bool) -> PopupRecord.Index? {
        keys.find(hash, matches: matches)
    }

    /// Makes a popup the holder of its key, which no other popup may hold.
    mutating func holdKey(_ popup: PopupRecord.Index, hash: UInt32) {
        assert(!live[popup].holdsKey, "a popup holds its key already")
        live[popup].holdsKey = true
        keys.insert(popup, hash: hash)
    }

    /// Removes a popup as the holder of its key.
    mutating func releaseKey(_ popup: PopupRecord.Index, hash: UInt32) {
        assert(live[popup].holdsKey, "a popup does not hold its key")
        live[popup].holdsKey = false
        keys.remove(popup, hash: hash)
    }

    /// Returns the delayed popup with a key of this hash that was accepted first, except `besides`.
    func firstDelayed(
        _ hash: UInt32, besides: PopupRecord.Index?, matches: (PopupRecord.Index) -> Bool
    ) -> PopupRecord.Index? {
        delayedKeys.first(hash, besides: besides, in: live, matches: matches)
    }

    /// Adds a popup with a key to the delayed popups of its key. It must have been accepted after all delayed popups of
    /// its key, of which `first` is the first.
    mutating func addDelayed(_ popup: PopupRecord.Index, toRingOf first: PopupRecord.Index?, hash: UInt32) {
        delayedKeys.append(popup, toRingOf: first, hash: hash, in: &live)
    }

    /// Removes a popup with a key from the delayed popups of its key.
    mutating func removeDelayed(_ popup: PopupRecord.Index, hash: UInt32) {
        delayedKeys.remove(popup, hash: hash, from: &live)
    }

    #if DEBUG
        /// The number of accesses to records of live popups, for tests that count work.
        var accesses: Int { live.accesses }
    #endif

    // MARK: - Invariants

    /// Returns the broken invariants of the table.
    func brokenInvariants(
        _ store: borrowing ByteStore, keyHash: (PopupRecord.Index) -> UInt32,
        isSameKey: (PopupRecord.Index, PopupRecord.Index) -> Bool
    ) -> [String] {
        var broken: [String] = []
        var delayed: [(popup: PopupRecord.Index, hash: UInt32)] = []
        var (holders, related, rareCount) = (0, 0, 0)
        for popup in live.indices {
            let record = live[popup]
            let id = String(decoding: store[record.id], as: UTF8.self)
            if find(store[record.id], hash: record.idHash, in: store) != .live(popup) {
                broken.append("popup \(id) is not found")
            }
            if record.acceptance > acceptances { broken.append("popup \(id) was accepted after the latest") }
            if record.rareFields != nil { rareCount += 1 }
            if let index = record.relations {
                related += 1
                if relations[index].popup != popup { broken.append("popup \(id) has the relations of another") }
            }
            if record.isDelayed, record.keyCount > 0 { delayed.append((popup, keyHash(popup))) }
            guard record.holdsKey else { continue }
            holders += 1
            if keys.find(keyHash(popup), matches: { $0 == popup }) == nil {
                broken.append("popup \(id) holds a key and is not found by it")
            }
        }
        broken += delayedKeys.brokenInvariants(of: delayed, in: live, isSameKey: isSameKey)
        closed.forEach { record in
            guard case .closed(let found)? = find(store[record.id], hash: record.idHash, in: store),
                closed[found].at == record.at
            else {
                return broken.append("closed popup \(String(decoding: store[record.id], as: UTF8.self)) is not found")
            }
            if record.borrowsDetail, !isLent(record.detail, to: record.account, store) {
                let id = String(decoding: store[record.id], as: UTF8.self)
                broken.append("closed popup \(id) has borrowed its detail from no other of its account")
            }
        }
        if ids.count != live.count + closed.count { broken.append("the table of ids has \(ids.count)") }
        if related != relations.count { broken.append("\(relations.count) relations, \(related) are of popups") }
        if rareCount != rare.count { broken.append("\(rare.count) rare fields, \(rareCount) are of popups") }
        if keys.count != holders { broken.append("\(keys.count) keys are held, \(holders) popups hold one") }
        return broken
    }
}

extension PopupTable {
    /// Whether a text is that of the id of a popup of this account.
    private func isLent(
        _ text: ByteReference, to account: AccountRecord.Index, _ store: borrowing ByteStore
    ) -> Bool {
        switch find(store[text], hash: store.hash(store[text]), in: store) {
        case nil: false
        case .live(let popup): live[popup].id.block == text.block && live[popup].account == account
        case .closed(let record): closed[record].id.block == text.block && closed[record].account == account
        }
    }
}

extension PopupTable: RecordTable {
    @inline(__always)
    func address(of popup: PopupRecord.Index) -> UnsafePointer<PopupRecord> { live.address(of: popup) }

    @inline(__always)
    func mutableAddress(of popup: PopupRecord.Index) -> UnsafeMutablePointer<PopupRecord> {
        live.mutableAddress(of: popup)
    }
}
