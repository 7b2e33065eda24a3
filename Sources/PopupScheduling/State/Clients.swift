/// A renderer that has a lease, or that a live popup remembers.
struct ClientRecord: BitwiseCopyable {
    var name: ByteReference
    var nameHash: UInt32
    /// That of whoever made it known, or `nobody`.
    var account: Int32
    var hasLease = false
    /// Runs while it has a lease that runs out by itself.
    var lease = nobody
    /// The names and patterns of its groups, each followed by a line feed.
    var patterns = ByteReference.empty
    /// Its notes, the latest first.
    var notes = nobody
    var isInUse = true
}

/// What one renderer said of one popup.
struct Note: BitwiseCopyable {
    var popup: Int32
    var client: Int32
    var hasDisplayed = false
    var isVisible = false
    var hasDismissed = false
    /// Its neighbours among the popup's notes, and among the renderer's.
    var nextOfPopup = nobody
    var previousOfPopup = nobody
    var nextOfClient = nobody
    var previousOfClient = nobody
}

/// The renderers by name.
struct ClientTable: ~Copyable {
    var records = Slab<ClientRecord>()
    var names = NameTable()

    init() {}
}

extension Scheduler {
    func findClient(_ name: UnsafeRawBufferPointer) -> Int32? {
        clients.names.find(name.hash(seed: hashSeed)) { store[clients.records[$0].name].equals(name) }
    }

    /// The renderer of a name, made if there is none and room for one, and for so many bytes of its texts beside the
    /// name.
    mutating func findOrMakeClient(
        _ name: UnsafeRawBufferPointer, adding bytes: Int = 0
    ) -> Result<Int32, Refusal> {
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
    mutating func forgetClientIfIdle(_ client: Int32) {
        let record = clients.records[client]
        guard record.isInUse, !record.hasLease, record.notes == nobody else { return }
        clients.names.remove(client, hash: record.nameHash)
        let bytes = store.usedBytes
        store.release(record.name)
        store.release(record.patterns)
        charge(record.account, since: bytes)
        clients.records[client].isInUse = false
        clients.records.remove(client)
        count(of: record.account) { $0.clients -= 1 }
    }

    // MARK: - Notes

    func findNote(of popup: Int32, by client: Int32) -> Int32? {
        let place = popups[popup].relations
        var note = place == nobody ? nobody : relations[place].notes
        while note != nobody {
            if notes[note].client == client { return note }
            note = notes[note].nextOfPopup
        }
        return nil
    }

    /// The note of a renderer on a popup, made if there is none; fails when there are too many.
    mutating func makeNote(of popup: Int32, by name: UnsafeRawBufferPointer) -> Result<Int32, Refusal> {
        if let client = findClient(name), let note = findNote(of: popup, by: client) { return .success(note) }
        let place = relationsMade(of: popup)
        guard relations[place].noteCount < limits.renderersPerPopup else { return .failure(.limit(.renderersPerPopup)) }
        return findOrMakeClient(name).map { addNote(Note(popup: popup, client: $0)) }
    }

    /// Puts a note before all others of its popup and of its renderer.
    @discardableResult
    mutating func addNote(_ said: Note) -> Int32 {
        let (place, client) = (popups[said.popup].relations, said.client)
        let (popupsFirst, clientsFirst) = (relations[place].notes, clients.records[client].notes)
        let note = notes.insert(said)
        notes[note].nextOfPopup = popupsFirst
        notes[note].nextOfClient = clientsFirst
        if popupsFirst != nobody { notes[popupsFirst].previousOfPopup = note }
        if clientsFirst != nobody { notes[clientsFirst].previousOfClient = note }
        relations[place].notes = note
        relations[place].noteCount += 1
        clients.records[client].notes = note
        return note
    }

    /// Takes out a note that says nothing any more.
    mutating func forgetNoteIfEmpty(_ note: Int32) {
        let record = notes[note]
        guard !record.hasDisplayed, !record.isVisible, !record.hasDismissed else { return }
        takeOut(note)
        forgetClientIfIdle(record.client)
    }

    /// Takes out a note; its renderer stays, though it may have no other.
    mutating func takeOut(_ note: Int32) {
        let record = notes[note]
        let place = popups[record.popup].relations
        if record.previousOfPopup == nobody {
            relations[place].notes = record.nextOfPopup
        } else {
            notes[record.previousOfPopup].nextOfPopup = record.nextOfPopup
        }
        if record.nextOfPopup != nobody { notes[record.nextOfPopup].previousOfPopup = record.previousOfPopup }
        if record.previousOfClient == nobody {
            clients.records[record.client].notes = record.nextOfClient
        } else {
            notes[record.previousOfClient].nextOfClient = record.nextOfClient
        }
        if record.nextOfClient != nobody { notes[record.nextOfClient].previousOfClient = record.previousOfClient }
        relations[place].noteCount -= 1
        notes.remove(note)
    }

    /// Changes each note of a popup, and takes out those that say nothing then.
    private mutating func changeNotes(of popup: Int32, _ change: (inout Note) -> Void) {
        let place = popups[popup].relations
        guard place != nobody else { return }
        var note = relations[place].notes
        while note != nobody {
            let next = notes[note].nextOfPopup
            change(&notes[note])
            forgetNoteIfEmpty(note)
            note = next
        }
    }

    /// Nobody displays the popup any more: it has left the slot.
    @inline(__always)
    mutating func takeOffScreens(_ popup: Int32) {
        let place = popups[popup].relations
        if place != nobody, relations[place].displays > 0 { forgetDisplays(of: popup, place) }
    }

    private mutating func forgetDisplays(of popup: Int32, _ place: Int32) {
        relations[place].displays = 0
        relations[place].views = 0
        changeNotes(of: popup) {
            $0.hasDisplayed = false
            $0.isVisible = false
        }
    }

    /// The quorum is counted anew: the popup is shown another time.
    @inline(__always)
    mutating func forgetDismissals(of popup: Int32) {
        let place = popups[popup].relations
        if place != nobody, relations[place].dismissals > 0 { forgetDismissals(of: popup, place) }
    }

    private mutating func forgetDismissals(of popup: Int32, _ place: Int32) {
        relations[place].dismissals = 0
        popupsWithDismissals -= 1
        changeNotes(of: popup) { $0.hasDismissed = false }
    }

    mutating func forgetNotes(of popup: Int32) {
        takeOffScreens(popup)
        forgetDismissals(of: popup)
    }
}
