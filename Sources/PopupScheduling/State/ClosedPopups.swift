/// The ids of closed popups with how they ended: for telling repetitions, and for `explain`.
///
/// They stand in two lists: all of them in order of closing, and those of each account in order of closing. So the oldest
/// of all goes when its time is over, and the oldest of one account when the memory is full.
struct ClosedPopups: ~Copyable {
    /// 56 bytes.
    struct Record: BitwiseCopyable {
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
        /// The ones that closed before and after it.
        fileprivate var neighbours = Neighbours<Record>()
        /// The one of its account that closed after it.
        @Packed fileprivate var youngerOfAccount: Index?
        private var payer: ShortAccount
        var reason: CloseReason

        init(
            id: ByteReference, idHash: UInt32, account: AccountRecord.Index, group: GroupRecord.Index,
            flow: FlowRecord.Index?, reason: CloseReason,
            detail: ByteReference, at: Milliseconds, displayed: Milliseconds
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
            self.at = at
            self.displayed = displayed
        }

        var id: ByteReference { ByteReference(block: idBlock, count: UInt32(idCount)) }

        /// Dismissed: the action. Else the id of the popup that closed it, or that it waited for, if there was one.
        var detail: ByteReference { ByteReference(block: detailBlock, count: UInt32(detailCount)) }

        /// The account that pays for its place.
        var account: AccountRecord.Index { payer.account }
    }

    typealias Index = TableIndex<Record>

    /// The ends of the list of one account: its oldest is the only one that is ever taken out of it.
    struct Ends: BitwiseCopyable {
        @Packed fileprivate(set) var oldest: Index?
        @Packed fileprivate var youngest: Index?

        init() {}
    }

    /// The list of all in order of closing.
    private enum All: ListLinks {
        static func neighbours(of record: UnsafePointer<Record>) -> Neighbours<Record> { record.pointee.neighbours }

        static func setNeighbours(of record: UnsafeMutablePointer<Record>, to neighbours: Neighbours<Record>) {
            record.pointee.neighbours = neighbours
        }
    }

    private var records = Slab<Record>()
    private var all = List<All>()
    /// When the latest of those closed that were forgotten before their time; none was: `nil`.
    var forgottenEarly: Milliseconds?

    init() {}

    var count: Int { records.count }

    /// The one that closed first.
    var oldest: Index? { all.first }

    /// Adds the latest.
    mutating func append(_ record: Record, _ ends: inout Ends) -> Index {
        let index = records.insert(record)
        records.append(index, to: &all)
        if let youngest = ends.youngest { records[youngest].youngerOfAccount = index } else { ends.oldest = index }
        ends.youngest = index
        return index
    }

    /// Forgets the first of its account.
    mutating func remove(_ index: Index, _ ends: inout Ends) {
        assert(ends.oldest == index, "an id is forgotten before an older one of its account")
        ends.oldest = records[index].youngerOfAccount
        if ends.oldest == nil { ends.youngest = nil }
        records.remove(index, from: &all)
        records.remove(index)
    }

    subscript(index: Index) -> Record { records[index] }

    /// Each in order of closing.
    func forEach(_ body: (Record) -> Void) {
        var next = all.first
        while let index = next {
            body(records[index])
            next = records.next(after: index, All.self)
        }
    }
}
