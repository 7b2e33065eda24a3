import PopupScheduling

/// The memory for the gaps and refusals of producers: ranges of settled sequences above the first gap, and refused
/// sequences.
///
/// A producer whose commands are accepted in order needs none. Each producer may use `bytesOfEach`; beyond that, all share
/// the room of the table (see `Share`). Nothing is dropped, because an acknowledgement would then report a refused command
/// as accepted: without room, a command is refused with `OVERLOAD`, which settles nothing.
///
/// The journal determines it, so the numbers here must not change.
@usableFromInline package struct OutcomeMemory {
    /// The bytes that every producer may use, whatever others use.
    package static let bytesOfEach = 1024
    /// The bytes that all producers share, for each one that the table may contain.
    static let sharedBytesPerProducer = 512
    /// The least number of shared bytes, so that one producer of a small table can have all that it may.
    static let minSharedBytes = 131_072
    /// The bytes of a range, with the spare room of its array.
    static let bytesOfRange = 32

    /// The bytes that all producers use.
    private(set) var used = 0
    private var capacity = 0
    private var gaps = 0
    /// The number of ranges that a producer may have now, without its refusals.
    package private(set) var maxRanges = 0

    init(_ bounds: ProducerSessions.Bounds) { set(bounds) }

    /// Sets the limits of the table.
    mutating func set(_ bounds: ProducerSessions.Bounds) {
        // The product of any number in a journal has to be a number.
        capacity = max(Self.minSharedBytes, min(bounds.producers, 1 << 40) * Self.sharedBytesPerProducer)
        gaps = bounds.gaps
        update()
    }

    /// Records that a producer uses more, or fewer, bytes.
    mutating func add(_ bytes: Int) {
        guard bytes != 0 else { return }
        used += bytes
        update()
    }

    private mutating func update() {
        maxRanges = min(gaps, max(Self.bytesOfEach, share(beside: 0)) / Self.bytesOfRange)
    }

    /// Whether a producer that uses `own` bytes may use this many more.
    func hasRoom(for bytes: Int, beside own: Int) -> Bool {
        own + bytes <= Self.bytesOfEach || own + bytes <= share(beside: bytes)
    }

    /// Returns the number of bytes that a producer may use if `bytes` more are used.
    private func share(beside bytes: Int) -> Int { max(0, capacity - used - bytes) * Limits.shareOfFree }
}

extension ProducerRecord {
    /// The bytes of its ranges and refusals, counted from the start.
    var countedOutcomeBytes: Int {
        ranges.count * OutcomeMemory.bytesOfRange + refusals.reduce(0) { $0 + $1.bytes }
    }
}

extension RefusedSequence {
    /// The bytes of a refusal without a detail, with the spare room of its array.
    static let bytesWithoutDetail = 80
    /// The bytes of a refusal with the longest detail.
    static let maxBytes = bytesWithoutDetail + 32 + SettledRefusal.maxDetailBytes

    /// The bytes that it uses.
    var bytes: Int {
        let detail = refusal.detail.utf8.count
        return Self.bytesWithoutDetail + (detail == 0 ? 0 : 32 + detail)
    }
}
