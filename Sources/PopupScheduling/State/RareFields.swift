/// What few popups ever get, so that the others don't carry it.
struct RareFields: BitwiseCopyable {
    typealias Index = TableIndex<RareFields>

    /// What a popup tried while the active one was still protected by its minimum display time.
    enum Attempt: UInt8, BitwiseCopyable {
        case arrival
        case promotion
    }

    /// In ms: nothing takes the slot from it earlier.
    var minimumDisplay: UInt32 = 0
    /// The try that came too early, and the activation that it came too early for.
    var early: Attempt?
    var earlyFor: UInt64 = 0
    /// Shown by being exclusive: the suspensions up to this number don't hold it back while it is active.
    var exemptUpTo: UInt64 = 0
    /// By how much its priority had risen when it last left the queue.
    var age: Int64 = 0
    /// The rank that it has whenever it waits, if that isn't its acceptance but a later number.
    var turn: Int64?

    /// Whether all are at their defaults.
    var isEmpty: Bool {
        minimumDisplay == 0 && early == nil && earlyFor == 0 && exemptUpTo == 0 && age == 0 && turn == nil
    }
}

extension Scheduler {
    /// The rareFields of a popup; all at their defaults if it has none.
    @inline(__always)
    func rareFields(of popup: PopupRecord.Index) -> RareFields {
        popups[popup].rareFields.map { rareFields[$0] } ?? RareFields()
    }

    /// Changes the rareFields of a popup, made if it has none.
    @inline(__always)
    mutating func changeRareFields(of popup: PopupRecord.Index, _ change: (inout RareFields) -> Void) {
        let place = popups[popup].rareFields ?? rareFields.insert(RareFields())
        popups[popup].rareFields = place
        change(&rareFields[place])
    }

    /// The rank that a popup has whenever it waits.
    func turn(of popup: PopupRecord.Index) -> Int64 {
        rareFields(of: popup).turn ?? Int64(popups[popup].acceptance)
    }

    @inline(__always)
    mutating func releaseRareFields(of popup: PopupRecord.Index) {
        guard let place = popups[popup].rareFields else { return }
        rareFields.remove(place)
        popups[popup].rareFields = nil
    }

    // MARK: - Its body

    /// Keeps what a popup's body is made of in one block.
    mutating func storeBody(
        _ producer: ProducerID?, _ key: UnsafeRawBufferPointer, _ surface: UnsafeRawBufferPointer,
        _ content: UnsafeRawBufferPointer
    ) -> ByteReference {
        guard var producer else { return store.store(nothing, key, surface, content) }
        return withUnsafeBytes(of: &producer) { store.store($0, key, surface, content) }
    }

    func producer(of popup: PopupRecord.Index) -> ProducerID? {
        let record = popups[popup]
        return record.producerCount == 0 ? nil : store[record.body].loadUnaligned(as: ProducerID.self)
    }
}
