/// The progress of the moving of texts out of chunks in which few are left.
///
/// A client can leave one text in each chunk of one size, then of the next, and so hold much more memory than
/// `limits.contentBytes`. While the store is sparse, each command visits some records of the tables in turn, and lets
/// the store move their texts. The results of commands do not depend on it.
///
/// While the store is sparse, no text is lent (see `Preemption.swift`). In the first round, closed popups that borrow
/// their detail receive a copy. After it each text has one owner, so ids may move, too.
struct Compaction: BitwiseCopyable {
    /// The tables whose records own texts, in the order in which they are visited.
    enum Table: BitwiseCopyable {
        case closedPopups
        case popups
        case groups
        case flows
        case renderers
    }

    /// The number of records that a command visits, and the number for each chunk that was added, so that only a
    /// little memory is added during a round, however many records there are.
    static let visitsPerCommand = 256
    static let visitsPerChunk = 8192
    /// The maximum number of records that a command visits. The next commands visit the rest.
    static let maxVisitsPerCommand = 16_384
    /// The bytes of moved texts after which a command visits no more records.
    static let maxBytesPerCommand = 4 << 20
    /// The number of visits, and of bytes moved, that take about as long as a unit of the work of a turn.
    static let (visitsPerUnit, bytesPerUnit) = (32, 4096)

    fileprivate(set) var table = Table.closedPopups
    fileprivate(set) var position = 0
    /// Whether ids may move: no closed popup borrows a text.
    fileprivate(set) var movesIDs = false
    /// The number of chunks that are counted in `owed`, of those added while the store is sparse.
    fileprivate(set) var chunks = 0
    /// The number of records to be visited because of added chunks.
    fileprivate(set) var owed = 0

    init() {}
}

extension Scheduler {
    /// Visits the next records that own texts, and lets the store move these: a bounded number of records and bytes, which
    /// count as work of the turn.
    @inline(never)
    mutating func compactTexts() {
        let added = store.chunksAddedWhileSparse
        compaction.owed += (added - compaction.chunks) * Compaction.visitsPerChunk
        compaction.chunks = added
        let visits = min(compaction.owed + Compaction.visitsPerCommand, Compaction.maxVisitsPerCommand)
        let moved = store.movedBytes
        var done = 0
        while done < visits, store.movedBytes - moved < Compaction.maxBytesPerCommand {
            visitForCompaction()
            done += 1
        }
        compaction.owed = max(0, compaction.owed - done)
        transaction.meter.count +=
            done / Compaction.visitsPerUnit + (store.movedBytes - moved) / Compaction.bytesPerUnit
        store.endCompactingIfDense()
        // Texts may be lent again, so the next time begins with a round in which no id moves.
        if !store.isSparse { compaction = Compaction() }
    }

    /// Sets, for tests, whether each command moves texts, from whatever chunk.
    mutating func setMovesTexts(_ always: Bool) {
        store.setMostFreeBytes(always ? -1 : ByteStore.mostFreeBytes)
        compaction = Compaction()
    }

    /// Visits the next record.
    private mutating func visitForCompaction() {
        let position = compaction.position
        compaction.position += 1
        switch compaction.table {
        case .closedPopups:
            guard position < popups.closed.capacity else {
                compaction.movesIDs = true
                return continueCompaction(in: .popups)
            }
            popups.compactTextsOfClosed(at: position, andID: compaction.movesIDs, in: &store)
        case .popups:
            guard position < popups.capacity else { return continueCompaction(in: .groups) }
            popups.compactTexts(at: position, andID: compaction.movesIDs, in: &store)
        case .groups:
            guard position < groups.capacity else { return continueCompaction(in: .flows) }
            groups.compactTexts(at: position, in: &store)
        case .flows:
            guard position < flows.capacity else { return continueCompaction(in: .renderers) }
            if let flow = flows.index(at: position) { store.compact(&flows[flow].key) }
        case .renderers:
            guard position < renderers.capacity else { return continueCompaction(in: .closedPopups) }
            guard let renderer = renderers.index(at: position) else { return }
            store.compact(&renderers[renderer].name)
            store.compact(&renderers[renderer].patterns)
        }
    }

    private mutating func continueCompaction(in table: Compaction.Table) {
        compaction.table = table
        compaction.position = 0
    }
}
