/// A renderer with a lease, or with a rendering of a live popup.
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
    /// Its renderings, the latest first.
    var renderings = List<RenderingsOfRenderer>()
    var isInUse = true

    init(name: ByteReference, nameHash: UInt32, account: AccountRecord.Index?) {
        self.name = name
        self.nameHash = nameHash
        self.account = account
    }

    /// Whether it has neither a lease nor a rendering.
    var isIdle: Bool { !hasLease && renderings.isEmpty }
}

/// The rendering of a popup by a renderer: what the renderer has reported about it.
struct Rendering: BitwiseCopyable {
    typealias Index = TableIndex<Rendering>

    var popup: PopupRecord.Index
    var client: RendererRecord.Index
    var hasDisplayed = false
    var isVisible = false
    var hasDismissed = false
    /// Whether it records nothing.
    var isEmpty: Bool { !hasDisplayed && !isVisible && !hasDismissed }

    // Its neighbours among the renderings of the popup, and among those by the renderer.
    fileprivate var ofPopup = Neighbours<Rendering>()
    fileprivate var ofClient = Neighbours<Rendering>()

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

/// The links of the renderings of one popup.
enum RenderingsOfPopup: ListLinks {
    static func neighbours(of rendering: UnsafePointer<Rendering>) -> Neighbours<Rendering> {
        rendering.pointee.ofPopup
    }

    static func setNeighbours(of rendering: UnsafeMutablePointer<Rendering>, to neighbours: Neighbours<Rendering>) {
        rendering.pointee.ofPopup = neighbours
    }
}

/// The links of the renderings by one renderer.
enum RenderingsOfRenderer: ListLinks {
    static func neighbours(of rendering: UnsafePointer<Rendering>) -> Neighbours<Rendering> {
        rendering.pointee.ofClient
    }

    static func setNeighbours(of rendering: UnsafeMutablePointer<Rendering>, to neighbours: Neighbours<Rendering>) {
        rendering.pointee.ofClient = neighbours
    }
}
