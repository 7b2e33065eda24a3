/// A renderer that has a lease, or that a live popup remembers.
struct ClientRecord: MarkedRecord {
    typealias Index = TableIndex<ClientRecord>

    var name: ByteReference
    var nameHash: UInt32
    /// That of whoever made it known.
    @Packed var account: AccountRecord.Index?
    var hasLease = false
    /// Runs while it has a lease that runs out by itself.
    @Packed var lease: TimerQueue.Index?
    /// The names and patterns of its groups, each followed by a line feed.
    var patterns = ByteReference.empty
    /// Its notes, the latest first.
    var notes = List<NotesOfClient>()
    var isInUse = true

    init(name: ByteReference, nameHash: UInt32, account: AccountRecord.Index?) {
        self.name = name
        self.nameHash = nameHash
        self.account = account
    }
}

/// What one renderer said of one popup.
struct Note: BitwiseCopyable {
    typealias Index = TableIndex<Note>

    var popup: PopupRecord.Index
    var client: ClientRecord.Index
    var hasDisplayed = false
    var isVisible = false
    var hasDismissed = false
    // Its neighbours among the popup's notes, and among the renderer's.
    fileprivate var ofPopup = Neighbours<Note>()
    fileprivate var ofClient = Neighbours<Note>()

    init(
        popup: PopupRecord.Index, client: ClientRecord.Index, hasDisplayed: Bool = false, isVisible: Bool = false,
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
enum NotesOfClient: ListLinks {
    static func neighbours(of note: UnsafePointer<Note>) -> Neighbours<Note> { note.pointee.ofClient }

    static func setNeighbours(of note: UnsafeMutablePointer<Note>, to neighbours: Neighbours<Note>) {
        note.pointee.ofClient = neighbours
    }
}

/// The renderers by name.
struct ClientTable: ~Copyable {
    var records = Slab<ClientRecord>()
    var names = NameTable<ClientRecord.Index>()
    var leaseHolders = LeaseHolders()

    init() {}
}

extension Scheduler {
    func findClient(_ name: UnsafeRawBufferPointer) -> ClientRecord.Index? {
        clients.names.find(name.hash(seed: hashSeed)) { store[clients.records[$0].name].equals(name) }
    }

    /// The renderer of a name, made if there is none and room for one, and for so many bytes of its texts beside the
    /// name.
    mutating func findOrMakeClient(
        _ name: UnsafeRawBufferPointer, adding bytes: Int = 0
    ) -> Result<ClientRecord.Index, Refusal> {
        if let client = findClient(name) {
            if bytes > 0, let admissionError = admissionError(toStoring: bytes, of: clients.records[client].account) {
                return .failure(admissionError)
            }
            return .success(client)
        }
        let table = admissionError(
            in: .renderers, used: clients.records.count, of: limits.renderers, for: transaction.sender)
        let needed = ByteStore.blockBytes(for: name.count) + bytes
        if let admissionError = table ?? admissionError(toStoring: needed, for: transaction.sender) {
            return .failure(admissionError)
        }
        let (hash, account, used) = (name.hash(seed: hashSeed), sendersAccount(), store.usedBytes)
        let client = clients.records.insert(
            ClientRecord(name: store.store(name), nameHash: hash, account: account))
        clients.names.insert(client, hash: hash)
        accounts[account].clients += 1
        charge(account, since: used)
        return .success(client)
    }

    /// Forgets a renderer that has no lease and that no popup remembers.
    mutating func forgetClientIfIdle(_ client: ClientRecord.Index) {
        guard clients.records.contains(client) else { return }
        let record = clients.records[client]
        guard !record.hasLease, record.notes.isEmpty else { return }
        clients.names.remove(client, hash: record.nameHash)
        let bytes = store.usedBytes
        store.release(record.name)
        store.countBytes(-LeaseHolders.bytes(for: store[record.patterns]))
        store.release(record.patterns)
        charge(record.account, since: bytes)
        clients.records.retire(client)
        count(of: record.account) { $0.clients -= 1 }
    }

    // MARK: - Notes

    func findNote(of popup: PopupRecord.Index, by client: ClientRecord.Index) -> Note.Index? {
        let first = popups[popup].relations.flatMap { popups.relations[$0].notes.first }
        return notes.first(from: first, NotesOfPopup.self) { notes[$0].client == client }
    }

    /// The note of a renderer on a popup, made if there is none; fails when there are too many.
    mutating func makeNote(of popup: PopupRecord.Index, by name: UnsafeRawBufferPointer) -> Result<Note.Index, Refusal>
    {
        if let client = findClient(name), let note = findNote(of: popup, by: client) { return .success(note) }
        let place = popups.makeRelations(of: popup)
        guard popups.relations[place].noteCount < limits.renderersPerPopup else {
            return .failure(.limit(.renderersPerPopup))
        }
        return findOrMakeClient(name).map { addNote(Note(popup: popup, client: $0), to: place) }
    }

    /// Puts a note before all others of its popup and of its renderer.
    @discardableResult
    mutating func addNote(_ said: Note, to place: RelationFields.Index) -> Note.Index {
        let note = notes.insert(said)
        notes.prepend(note, to: &popups.relations[place].notes)
        notes.prepend(note, to: &clients.records[said.client].notes)
        popups.relations[place].noteCount += 1
        return note
    }

    /// Takes out a note that says nothing any more.
    mutating func forgetNoteIfEmpty(_ note: Note.Index) {
        let record = notes[note]
        guard !record.hasDisplayed, !record.isVisible, !record.hasDismissed else { return }
        takeOut(note)
        forgetClientIfIdle(record.client)
    }

    /// Takes out a note; its renderer stays, though it may have no other.
    mutating func takeOut(_ note: Note.Index) {
        let record = notes[note]
        notes.remove(note, from: &clients.records[record.client].notes)
        if let place = popups[record.popup].relations {
            notes.remove(note, from: &popups.relations[place].notes)
            popups.relations[place].noteCount -= 1
        }
        notes.remove(note)
    }

    /// Changes each note of a popup, and takes out those that say nothing then.
    private mutating func changeNotes(of place: RelationFields.Index, _ change: (inout Note) -> Void) {
        var next = popups.relations[place].notes.first
        while let note = next {
            next = notes.next(after: note, NotesOfPopup.self)
            change(&notes[note])
            forgetNoteIfEmpty(note)
        }
    }

    /// Nobody displays the popup any more: it has left the slot.
    @inline(__always)
    mutating func takeOffScreens(_ popup: PopupRecord.Index) {
        if let place = popups[popup].relations, popups.relations[place].displays > 0 { forgetDisplays(place) }
    }

    private mutating func forgetDisplays(_ place: RelationFields.Index) {
        popups.relations[place].displays = 0
        popups.relations[place].views = 0
        changeNotes(of: place) {
            $0.hasDisplayed = false
            $0.isVisible = false
        }
    }

    /// The quorum is counted anew: the popup is shown another time.
    @inline(__always)
    mutating func forgetDismissals(of popup: PopupRecord.Index) {
        if let place = popups[popup].relations, popups.relations[place].dismissals > 0 { forgetDismissals(place) }
    }

    private mutating func forgetDismissals(_ place: RelationFields.Index) {
        popups.relations[place].dismissals = 0
        popupsWithDismissals -= 1
        changeNotes(of: place) { $0.hasDismissed = false }
    }

    mutating func forgetNotes(of popup: PopupRecord.Index) {
        takeOffScreens(popup)
        forgetDismissals(of: popup)
    }
}
