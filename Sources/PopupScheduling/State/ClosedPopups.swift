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
        var group: Int32
        /// The flow of which it was a member, or `nobody`.
        var flow: Int32
        var at: Milliseconds
        var displayed: Milliseconds
        /// The ones that closed before and after it.
        fileprivate(set) var older = nobody
        fileprivate(set) var younger = nobody
        /// The one of its account that closed after it.
        fileprivate(set) var youngerOfAccount = nobody
        private var accountPlace: UInt16
        var reason: CloseReason

        init(
            id: ByteReference, idHash: UInt32, account: Int32, group: Int32, flow: Int32, reason: CloseReason,
            detail: ByteReference, at: Milliseconds, displayed: Milliseconds
        ) {
            idBlock = id.block
            idCount = UInt16(id.count)
            detailBlock = detail.block
            detailCount = UInt16(detail.count)
            self.idHash = idHash
            accountPlace = UInt16(account)
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
        var account: Int32 { Int32(accountPlace) }
    }

    /// The ends of the list of one account.
    struct Ends: BitwiseCopyable {
        var oldest = nobody
        fileprivate var youngest = nobody
    }

    private var records = Slab<Record>()
    private var all = Ends()

    init() {}

    var count: Int { records.count }

    /// The handle of the one that closed first, or `nobody`.
    var oldest: Int32 { all.oldest == nobody ? nobody : Self.handle(all.oldest) }

    /// Adds the latest and returns its handle, which is above any index: the table of ids keeps live popups' indices as
    /// they are and these beside them.
    mutating func append(_ record: Record, _ ends: inout Ends) -> Int32 {
        let place = records.insert(record)
        precondition(place < Self.handleBit, "2^30 ids of closed popups")
        records[place].older = all.youngest
        if all.youngest == nobody { all.oldest = place } else { records[all.youngest].younger = place }
        all.youngest = place
        if ends.youngest == nobody {
            ends.oldest = place
        } else {
            records[ends.youngest].youngerOfAccount = place
        }
        ends.youngest = place
        return Self.handle(place)
    }

    /// Forgets the first of its account.
    mutating func remove(_ handle: Int32, _ ends: inout Ends) {
        let place = Self.place(of: handle)
        assert(ends.oldest == place, "an id is forgotten before an older one of its account")
        let record = records[place]
        if record.older == nobody {
            all.oldest = record.younger
        } else {
            records[record.older].younger = record.younger
        }
        if record.younger == nobody {
            all.youngest = record.older
        } else {
            records[record.younger].older = record.older
        }
        ends.oldest = record.youngerOfAccount
        if ends.oldest == nobody { ends.youngest = nobody }
        records.remove(place)
    }

    subscript(handle: Int32) -> Record { records[Self.place(of: handle)] }

    /// Each in order of closing.
    func forEach(_ body: (Record) -> Void) {
        var place = all.oldest
        while place != nobody {
            body(records[place])
            place = records[place].younger
        }
    }

    private static let handleBit: Int32 = 1 << 30

    static func handle(_ place: Int32) -> Int32 { place | handleBit }

    private static func place(of handle: Int32) -> Int32 { handle & ~handleBit }

    static func isHandle(_ index: Int32) -> Bool { index & handleBit != 0 }
}
