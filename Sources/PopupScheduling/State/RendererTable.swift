/// The renderers by name, the groups of their leases, and their renderings of popups.
struct RendererTable: ~Copyable {
    private var records = Slab<RendererRecord>()
    private var names: NameTable<RendererRecord.Index>
    private var leaseHolders = LeaseHolders()
    /// The number of names and patterns of all leases.
    private(set) var leasedPatterns = 0
    private var renderings = Slab<Rendering>()
    /// The number of live popups with at least one dismissal by a renderer.
    private(set) var popupsWithDismissals = 0

    /// Creates an empty table with space for `capacity` renderers.
    init(capacity: Int = 0) {
        names = NameTable(capacity: capacity)
    }

    var count: Int { records.count }

    /// The exclusive upper bound of all positions.
    var capacity: Int { records.capacity }

    /// All renderers in the order of their positions. O(n).
    var indices: some Sequence<RendererRecord.Index> { records.indices }

    /// Whether a renderer still exists.
    func contains(_ renderer: RendererRecord.Index) -> Bool { records.contains(renderer) }

    /// Returns the renderer at a position, if there is one.
    func index(at number: Int) -> RendererRecord.Index? { records.index(at: number) }

    subscript(renderer: RendererRecord.Index) -> RendererRecord {
        unsafeAddress { records.address(of: renderer) }
        unsafeMutableAddress { records.mutableAddress(of: renderer) }
    }

    /// Returns the renderer of a name with this hash.
    func find(_ name: UnsafeRawBufferPointer, hash: UInt32, in store: borrowing ByteStore) -> RendererRecord.Index? {
        names.find(hash) { store[records[$0].name].equals(name) }
    }

    /// Adds a renderer. Its name must be new.
    mutating func add(_ record: RendererRecord) -> RendererRecord.Index {
        let renderer = records.insert(record)
        names.insert(renderer, hash: record.nameHash)
        return renderer
    }

    /// Removes a renderer without lease and renderings.
    mutating func remove(_ renderer: RendererRecord.Index) {
        assert(records[renderer].isIdle, "a renderer is removed that has a lease or a rendering")
        names.remove(renderer, hash: records[renderer].nameHash)
        records.retire(renderer)
    }

    // MARK: - Leases

    /// Gives a renderer a lease for names and patterns, each followed by a line feed. Has no effect if it has one.
    mutating func beginLease(of renderer: RendererRecord.Index, for patterns: UnsafeRawBufferPointer) {
        guard !records[renderer].hasLease else { return }
        records[renderer].hasLease = true
        leasedPatterns += LeaseHolders.count(of: patterns)
        leaseHolders.insert(renderer, patterns)
    }

    /// Ends the lease of a renderer for these names and patterns. Has no effect if it has none.
    mutating func endLease(of renderer: RendererRecord.Index, for patterns: UnsafeRawBufferPointer) {
        guard records[renderer].hasLease else { return }
        records[renderer].hasLease = false
        leasedPatterns -= LeaseHolders.count(of: patterns)
        leaseHolders.remove(renderer, patterns)
    }

    /// Returns the first renderer with a lease for a group that satisfies a condition.
    func firstLeaseHolder(
        ofGroup name: UnsafeRawBufferPointer, where holds: (RendererRecord.Index) -> Bool
    ) -> RendererRecord.Index? {
        leaseHolders.first(ofGroup: name, where: holds)
    }

    // MARK: - Renderings

    subscript(rendering: Rendering.Index) -> Rendering { renderings[rendering] }

    /// Returns the renderings of a popup, the latest first.
    func renderings(of popup: RelationFields) -> [Rendering.Index] { renderings.members(of: popup.renderings) }

    /// Returns the renderings by a renderer, the latest first.
    func renderings(by renderer: RendererRecord.Index) -> [Rendering.Index] {
        renderings.members(of: records[renderer].renderings)
    }

    /// Returns the latest rendering by a renderer.
    func firstRendering(by renderer: RendererRecord.Index) -> Rendering.Index? { records[renderer].renderings.first }

    /// Returns the next rendering by the same renderer.
    func nextRendering(after rendering: Rendering.Index) -> Rendering.Index? {
        renderings.next(after: rendering, RenderingsOfRenderer.self)
    }

    /// Returns the rendering of a popup by a renderer.
    func findRendering(of popup: RelationFields, by renderer: RendererRecord.Index) -> Rendering.Index? {
        renderings.first(from: popup.renderings.first, RenderingsOfPopup.self) { renderings[$0].client == renderer }
    }

    /// Adds an empty rendering of a popup by a renderer that has none of it, as the latest of both.
    mutating func addRendering(of popup: inout RelationFields, by renderer: RendererRecord.Index) -> Rendering.Index {
        let rendering = renderings.insert(Rendering(popup: popup.popup, client: renderer))
        renderings.prepend(rendering, to: &popup.renderings)
        renderings.prepend(rendering, to: &records[renderer].renderings)
        popup.renderingCount += 1
        return rendering
    }

    /// Removes an empty rendering. Its renderer stays, even without other renderings.
    mutating func removeRendering(_ rendering: Rendering.Index, of popup: inout RelationFields) {
        assert(renderings[rendering].isEmpty, "a rendering is removed that records something")
        renderings.remove(rendering, from: &records[renderings[rendering].client].renderings)
        renderings.remove(rendering, from: &popup.renderings)
        popup.renderingCount -= 1
        renderings.remove(rendering)
    }

    /// Records whether the renderer displays the popup.
    mutating func setDisplayed(_ isDisplayed: Bool, _ rendering: Rendering.Index, on popup: inout RelationFields) {
        guard renderings[rendering].hasDisplayed != isDisplayed else { return }
        renderings[rendering].hasDisplayed = isDisplayed
        popup.displays += isDisplayed ? 1 : -1
    }

    /// Records whether the popup is visible on the renderer.
    mutating func setVisible(_ isVisible: Bool, _ rendering: Rendering.Index, on popup: inout RelationFields) {
        guard renderings[rendering].isVisible != isVisible else { return }
        renderings[rendering].isVisible = isVisible
        popup.views += isVisible ? 1 : -1
    }

    /// Records whether the renderer dismissed the popup.
    mutating func setDismissed(_ isDismissed: Bool, _ rendering: Rendering.Index, on popup: inout RelationFields) {
        guard renderings[rendering].hasDismissed != isDismissed else { return }
        renderings[rendering].hasDismissed = isDismissed
        let wasDismissed = popup.dismissals > 0
        popup.dismissals += isDismissed ? 1 : -1
        if wasDismissed != (popup.dismissals > 0) { popupsWithDismissals += isDismissed ? 1 : -1 }
    }

    // MARK: - Invariants

    /// Returns the broken invariants of the table.
    func brokenInvariants(_ store: borrowing ByteStore) -> [String] {
        var broken: [String] = []
        var listed = 0
        for renderer in records.indices {
            let record = records[renderer]
            let name = String(decoding: store[record.name], as: UTF8.self)
            if find(store[record.name], hash: store.hash(store[record.name]), in: store) != renderer {
                broken.append("renderer \(name) is not found")
            }
            if record.lease != nil, !record.hasLease {
                broken.append("renderer \(name) loses a lease that it does not have")
            }
            if record.isIdle { broken.append("renderer \(name) has nothing left") }
            for rendering in renderings(by: renderer) {
                listed += 1
                if renderings[rendering].client != renderer { broken.append("a rendering by \(name) is another's") }
            }
        }
        if listed != renderings.count {
            broken.append("\(renderings.count) renderings, \(listed) belong to renderers")
        }
        return broken
    }

    /// Returns the broken invariants of the renderings of a popup and their counts.
    func brokenInvariants(ofRenderings popup: RelationFields) -> [String] {
        var counts = (all: Int32(0), displays: Int32(0), views: Int32(0), dismissals: Int32(0))
        for rendering in renderings(of: popup) {
            if renderings[rendering].popup != popup.popup { return ["a rendering of a popup is another's"] }
            counts.all += 1
            if renderings[rendering].hasDisplayed { counts.displays += 1 }
            if renderings[rendering].isVisible { counts.views += 1 }
            if renderings[rendering].hasDismissed { counts.dismissals += 1 }
        }
        let isCounted = counts == (popup.renderingCount, popup.displays, popup.views, popup.dismissals)
        return isCounted ? [] : ["the renderings of a popup are not counted"]
    }
}
