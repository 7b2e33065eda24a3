/// A renderer with a lease, or with a note on a live popup.
struct RendererRecord: MarkedRecord {
    typealias Index = TableIndex<RendererRecord>

    var name: ByteReference
    var nameHash: UInt32
    /// The account that created it.
    @Packed var account: AccountRecord.Index?
    /// Whether it has a lease. `RendererTable` contains the groups of the lease.
    var hasLease = false
    /// The timer of a lease that ends by itself.
    @Packed var lease: TimerQueue.Index?
    /// The names and patterns of its groups, each followed by a line feed.
    var patterns = ByteReference.empty
    /// Its notes, the latest first.
    var notes = List<NotesOfRenderer>()
    var isInUse = true

    init(name: ByteReference, nameHash: UInt32, account: AccountRecord.Index?) {
        self.name = name
        self.nameHash = nameHash
        self.account = account
    }

    /// Whether it has neither a lease nor a note.
    var isIdle: Bool { !hasLease && notes.isEmpty }
}

/// A note: what one renderer reported about one popup.
struct Note: BitwiseCopyable {
    typealias Index = TableIndex<Note>

    var popup: PopupRecord.Index
    var client: RendererRecord.Index
    var hasDisplayed = false
    var isVisible = false
    var hasDismissed = false
    /// Whether it records nothing.
    var isEmpty: Bool { !hasDisplayed && !isVisible && !hasDismissed }

    // Its neighbours among the notes on the popup, and among those of the renderer.
    fileprivate var ofPopup = Neighbours<Note>()
    fileprivate var ofClient = Neighbours<Note>()

    init(
        popup: PopupRecord.Index, client: RendererRecord.Index, hasDisplayed: Bool = false, isVisible: Bool = false,
        hasDismissed: Bool = false
    ) {
        self.popup = popup
        self.client = client
        self.hasDisplayed = hasDisplayed
        self.isVisible = isVisible
        self.hasDismissed = hasDismissed
    }
}

/// The links of the notes on one popup.
enum NotesOfPopup: ListLinks {
    static func neighbours(of note: UnsafePointer<Note>) -> Neighbours<Note> { note.pointee.ofPopup }

    static func setNeighbours(of note: UnsafeMutablePointer<Note>, to neighbours: Neighbours<Note>) {
        note.pointee.ofPopup = neighbours
    }
}

/// The links of the notes of one renderer.
enum NotesOfRenderer: ListLinks {
    static func neighbours(of note: UnsafePointer<Note>) -> Neighbours<Note> { note.pointee.ofClient }

    static func setNeighbours(of note: UnsafeMutablePointer<Note>, to neighbours: Neighbours<Note>) {
        note.pointee.ofClient = neighbours
    }
}
