/// A renderer that has a lease, or that a live popup remembers.
struct RendererRecord: MarkedRecord {
    typealias Index = TableIndex<RendererRecord>

    var name: ByteReference
    var nameHash: UInt32
    /// That of whoever made it known.
    @Packed var account: AccountRecord.Index?
    /// Whether it has a lease. `RendererTable` knows for which groups.
    var hasLease = false
    /// Runs while it has a lease that runs out by itself.
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

    /// Whether it has no lease, and no live popup remembers it.
    var isIdle: Bool { !hasLease && notes.isEmpty }
}

/// What one renderer said of one popup.
struct Note: BitwiseCopyable {
    typealias Index = TableIndex<Note>

    var popup: PopupRecord.Index
    var client: RendererRecord.Index
    var hasDisplayed = false
    var isVisible = false
    var hasDismissed = false
    /// Whether it says nothing.
    var isEmpty: Bool { !hasDisplayed && !isVisible && !hasDismissed }

    // Its neighbours among the popup's notes, and among the renderer's.
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

/// The notes on one popup.
enum NotesOfPopup: ListLinks {
    static func neighbours(of note: UnsafePointer<Note>) -> Neighbours<Note> { note.pointee.ofPopup }

    static func setNeighbours(of note: UnsafeMutablePointer<Note>, to neighbours: Neighbours<Note>) {
        note.pointee.ofPopup = neighbours
    }
}

/// The notes of one renderer.
enum NotesOfRenderer: ListLinks {
    static func neighbours(of note: UnsafePointer<Note>) -> Neighbours<Note> { note.pointee.ofClient }

    static func setNeighbours(of note: UnsafeMutablePointer<Note>, to neighbours: Neighbours<Note>) {
        note.pointee.ofClient = neighbours
    }
}
