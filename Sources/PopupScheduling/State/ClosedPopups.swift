/// The remembered ids of closed popups with the reasons, to recognize repetitions and for `explain`.
///
/// Each is in two lists, both in order of closing: that of all closed popups, and that of its account. So the oldest id
/// of all can be removed when it expires, and the oldest id of an account when the table is full.
struct ClosedPopups: ~Copyable {
    /// A closed popup: 56 bytes.
    struct Record: MarkedRecord {
        private struct Flags: OptionSet, BitwiseCopyable {
            let rawValue: UInt8
            static let borrowsDetail = Flags(rawValue: 1)
            static let isInUse = Flags(rawValue: 2)
        }

        private var idBlock: UInt32
        private var detailBlock: UInt32
        private var idCount: UInt16
        private var detailCount: UInt16
        var idHash: UInt32
        var group: GroupRecord.Index
        /// The flow of which it was a member.
        @Packed var flow: FlowRecord.Index?
        var at: Milliseconds
        var displayed: Milliseconds
        /// Its neighbours in the list of all closed popups.
        fileprivate var neighbours = Neighbours<Record>()
        /// The next one of its account.
        @Packed fileprivate var youngerOfAccount: Index?
        private var payer: ShortAccount
        var reason: CloseReason
        private var flags = Flags.isInUse

        init(
            id: ByteReference, idHash: UInt32, account: AccountRecord.Index, group: GroupRecord.Index,
            flow: FlowRecord.Index?, reason: CloseReason,
            detail: ByteReference, borrowsDetail: Bool = false, at: Milliseconds, displayed: Milliseconds
        ) {
            idBlock = id.block
            idCount = UInt16(id.count)
            detailBlock = detail.block
            detailCount = UInt16(detail.count)
            self.idHash = idHash
            payer = ShortAccount(account)
            self.group = group
            self.flow = flow
            self.reason = reason
            flags.set(.borrowsDetail, borrowsDetail)
            self.at = at
            self.displayed = displayed
        }

        /// Whether `detail` is the text of the id of another popup, lent by the store: see `Preemption.swift`.
        var borrowsDetail: Bool { flags.contains(.borrowsDetail) }

        var isInUse: Bool {
            get { flags.contains(.isInUse) }
            set { flags.set(.isInUse, newValue) }
        }

        var id: ByteReference {
            get { ByteReference(block: idBlock, count: UInt32(idCount)) }
            set { idBlock = newValue.block }
        }

        /// For a dismissal the action, otherwise the id of the popup that closed it, or of the required one; empty if
        /// there is none.
        var detail: ByteReference {
            get { ByteReference(block: detailBlock, count: UInt32(detailCount)) }
            set { detailBlock = newValue.block }
        }

        /// Replaces a borrowed detail by its own copy, which is counted already.
        mutating func ownDetail(_ store: inout ByteStore) {
            let borrowed = detail
            detail = store.store(store[borrowed])
            store.takeBack(borrowed)
            flags.remove(.borrowsDetail)
        }

        /// The account that holds it.
        var account: AccountRecord.Index { payer.account }
    }

    typealias Index = TableIndex<Record>

    /// The ends of the list of one account. Only its oldest member is ever removed.
    struct Ends: BitwiseCopyable {
        @Packed fileprivate(set) var oldest: Index?
        @Packed fileprivate var youngest: Index?

        init() {}
    }

    /// The links of the list of all closed popups.
    private enum All: ListLinks {
        static func neighbours(of record: UnsafePointer<Record>) -> Neighbours<Record> { record.pointee.neighbours }

        static func setNeighbours(of record: UnsafeMutablePointer<Record>, to neighbours: Neighbours<Record>) {
            record.pointee.neighbours = neighbours
        }
    }

    private var records = Slab<Record>()
    private var all = List<All>()
    private var contents = RecentContents()
    /// The latest closing time of the ids that were forgotten early; `nil` if there were none.
    var forgottenEarly: Milliseconds?

    init() {}

    var count: Int { records.count }

    /// The popup that closed first.
    var oldest: Index? { all.first }

    /// The popup that closed last.
    var youngest: Index? { all.last }

    /// Returns the popup that closed before another one.
    func previous(before index: Index) -> Index? { records.previous(before: index, All.self) }

    /// The contents that are kept of closed popups.
    var recentContents: [Index: (closedAt: Milliseconds, content: [UInt8])] { contents.byPopup() }

    /// Sets how long contents are shortened before they are kept.
    mutating func shortenContents(by shortener: @escaping Scheduler.ContentShortener) { contents.shortener = shortener }

    /// Keeps the content of a popup that closes for a while.
    @inline(__always)
    mutating func keepContent(
        _ content: UnsafeRawBufferPointer, of index: Index, in group: GroupRecord.Index, closedAt time: Milliseconds
    ) {
        contents.keep(content, of: index, in: group, closedAt: time)
    }

    /// Appends a closed popup.
    @inline(__always)
    mutating func append(_ record: Record, _ ends: inout Ends) -> Index {
        let index = records.insert(record)
        records.append(index, to: &all)
        if let youngest = ends.youngest { records[youngest].youngerOfAccount = index } else { ends.oldest = index }
        ends.youngest = index
        return index
    }

    /// Removes the oldest closed popup of its account.
    mutating func remove(_ index: Index, _ ends: inout Ends) {
        assert(ends.oldest == index, "an id is forgotten before an older one of its account")
        ends.oldest = records[index].youngerOfAccount
        if ends.oldest == nil { ends.youngest = nil }
        records.remove(index, from: &all)
        records.retire(index)
    }

    /// The exclusive upper bound of all positions.
    var capacity: Int { records.capacity }

    /// Lets a sparse store move the texts of the popup at a position, if there is one: its id only if no closed popup
    /// borrows a text.
    mutating func compactTexts(at position: Int, andID: Bool, in store: inout ByteStore) {
        guard let index = records.index(at: position) else { return }
        if records[index].borrowsDetail {
            records[index].ownDetail(&store)
        } else {
            store.compact(&records[index].detail)
        }
        if andID { store.compact(&records[index].id) }
    }

    subscript(index: Index) -> Record { records[index] }

    /// Calls `body` with each closed popup in order of closing.
    func forEach(_ body: (Record) -> Void) {
        var next = all.first
        while let index = next {
            body(records[index])
            next = records.next(after: index, All.self)
        }
    }
}
