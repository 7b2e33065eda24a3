/// The renderers by name, the groups of their leases, and their notes on popups.
struct RendererTable: ~Copyable {
    private var records = Slab<RendererRecord>()
    private var names: NameTable<RendererRecord.Index>
    private var leaseHolders = LeaseHolders()
    /// The number of names and patterns of all leases.
    private(set) var leasedPatterns = 0
    private var notes = Slab<Note>()
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

    /// Removes a renderer without lease and notes.
    mutating func remove(_ renderer: RendererRecord.Index) {
        assert(records[renderer].isIdle, "a renderer is removed that has a lease or a note")
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

    // MARK: - Notes

    subscript(note: Note.Index) -> Note { notes[note] }

    /// Returns the notes on a popup, the latest first.
    func notes(on popup: RelationFields) -> [Note.Index] { notes.members(of: popup.notes) }

    /// Returns the notes of a renderer, the latest first.
    func notes(of renderer: RendererRecord.Index) -> [Note.Index] { notes.members(of: records[renderer].notes) }

    /// Returns the latest note of a renderer on a popup.
    func firstNote(of renderer: RendererRecord.Index) -> Note.Index? { records[renderer].notes.first }

    /// Returns the next note of the renderer after one of its notes.
    func nextNote(ofRendererAfter note: Note.Index) -> Note.Index? { notes.next(after: note, NotesOfRenderer.self) }

    /// Returns the note of a renderer on a popup.
    func findNote(on popup: RelationFields, by renderer: RendererRecord.Index) -> Note.Index? {
        notes.first(from: popup.notes.first, NotesOfPopup.self) { notes[$0].client == renderer }
    }

    /// Adds an empty note of a renderer that has none on the popup, as the latest of both.
    mutating func addNote(on popup: inout RelationFields, by renderer: RendererRecord.Index) -> Note.Index {
        let note = notes.insert(Note(popup: popup.popup, client: renderer))
        notes.prepend(note, to: &popup.notes)
        notes.prepend(note, to: &records[renderer].notes)
        popup.noteCount += 1
        return note
    }

    /// Removes an empty note. Its renderer stays, even without other notes.
    mutating func removeNote(_ note: Note.Index, on popup: inout RelationFields) {
        assert(notes[note].isEmpty, "a note is removed that says something")
        notes.remove(note, from: &records[notes[note].client].notes)
        notes.remove(note, from: &popup.notes)
        popup.noteCount -= 1
        notes.remove(note)
    }

    /// Records whether the renderer displays the popup.
    mutating func setDisplayed(_ isDisplayed: Bool, _ note: Note.Index, on popup: inout RelationFields) {
        guard notes[note].hasDisplayed != isDisplayed else { return }
        notes[note].hasDisplayed = isDisplayed
        popup.displays += isDisplayed ? 1 : -1
    }

    /// Records whether the popup is visible on the renderer.
    mutating func setVisible(_ isVisible: Bool, _ note: Note.Index, on popup: inout RelationFields) {
        guard notes[note].isVisible != isVisible else { return }
        notes[note].isVisible = isVisible
        popup.views += isVisible ? 1 : -1
    }

    /// Records whether the renderer dismissed the popup.
    mutating func setDismissed(_ isDismissed: Bool, _ note: Note.Index, on popup: inout RelationFields) {
        guard notes[note].hasDismissed != isDismissed else { return }
        notes[note].hasDismissed = isDismissed
        let wasDismissed = popup.dismissals > 0
        popup.dismissals += isDismissed ? 1 : -1
        if wasDismissed != (popup.dismissals > 0) { popupsWithDismissals += isDismissed ? 1 : -1 }
    }

    // MARK: - Invariants

    /// Returns the broken invariants of the table.
    func brokenInvariants(_ store: borrowing ByteStore) -> [String] {
        var broken: [String] = []
        var noted = 0
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
            for note in notes(of: renderer) {
                noted += 1
                if notes[note].client != renderer { broken.append("a note of \(name) is another's") }
            }
        }
        if noted != notes.count { broken.append("\(notes.count) notes, \(noted) belong to renderers") }
        return broken
    }

    /// Returns the broken invariants of the notes on a popup and their counts.
    func brokenInvariants(ofNotesOn popup: RelationFields) -> [String] {
        var counts = (all: Int32(0), displays: Int32(0), views: Int32(0), dismissals: Int32(0))
        for note in notes(on: popup) {
            if notes[note].popup != popup.popup { return ["a note on a popup is on another"] }
            counts.all += 1
            if notes[note].hasDisplayed { counts.displays += 1 }
            if notes[note].isVisible { counts.views += 1 }
            if notes[note].hasDismissed { counts.dismissals += 1 }
        }
        let isCounted = counts == (popup.noteCount, popup.displays, popup.views, popup.dismissals)
        return isCounted ? [] : ["the notes on a popup are not counted"]
    }
}
