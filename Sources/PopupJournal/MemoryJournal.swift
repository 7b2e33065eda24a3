/// A journal that ends with its process: for brokers whose popups needn't outlive them, and for tests.
///
/// It keeps the latest batches only, within its retention, so that it does not grow without limit: it is no state to
/// recover from, but what happened lately can be replayed.
public final class MemoryJournal: Journal {
    /// How much is kept; the oldest batches go first.
    public struct Retention: Sendable, Hashable {
        /// Batches at most; at least 1.
        public var batches: Int
        /// Bytes of commands at most; the latest batch is kept even if it is larger.
        public var bytes: Int

        /// 16 batches within 1 MiB, unless told otherwise: what the processor can keep at hand, since each batch is written
        /// into the memory of an earlier one.
        public init(batches: Int = 16, bytes: Int = 1 << 20) {
            self.batches = batches
            self.bytes = bytes
        }
    }

    private struct Slot {
        var sequence: UInt64 = 0
        var time: Int64 = 0
        var commands: [UInt8] = []
    }

    /// How much is kept.
    public let retention: Retention
    /// The latest time that was noted.
    public private(set) var notedTime: Int64 = 0
    private var nextEpoch: UInt64
    private var lastSequence: UInt64 = 0
    private var isOpen = false
    // A ring: a batch takes the slot, and the memory, of the one that it displaces. While one is written nothing else is
    // called, so that accesses can't overlap, and needn't be looked at for each batch.
    @exclusivity(unchecked)
    private var slots: [Slot] = []
    private var kept = 0
    private var keptBytes = 0

    /// An empty journal.
    ///
    /// - Parameter firstEpoch: the epoch of its first opening. Subscribers that saw an earlier process take a state for
    ///   new only if its epoch is greater: give what grows from process to process, such as the time.
    public init(firstEpoch: UInt64 = 1, retention: Retention = Retention()) {
        nextEpoch = firstEpoch
        self.retention = retention
    }

    /// Opens it; the epoch is one more than at the last opening.
    ///
    /// - Throws: `JournalIsOpen` when it wasn't closed.
    public func open() throws -> JournalOpening {
        guard !isOpen else { throw JournalIsOpen() }
        isOpen = true
        defer { nextEpoch += 1 }
        return JournalOpening(epoch: nextEpoch, lastSequence: lastSequence)
    }

    /// Calls `body` with each batch that is kept, from `sequence` on.
    public func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        for number in lastSequence - UInt64(kept)..<lastSequence {
            let slot = slots[Int(number % UInt64(retention.batches))]
            guard slot.sequence >= sequence else { continue }
            try body(JournalBatch(sequence: slot.sequence, time: slot.time, commands: slot.commands))
        }
    }

    /// Keeps a batch.
    public func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        let place = Int(lastSequence % UInt64(retention.batches))
        while kept > 0, kept == retention.batches || keptBytes + commands.byteCount > retention.bytes {
            let oldest = Int((lastSequence - UInt64(kept)) % UInt64(retention.batches))
            keptBytes -= slots[oldest].commands.count
            kept -= 1
            slots[oldest].commands.removeAll(keepingCapacity: slots[oldest].commands.capacity <= 65_536)
        }
        if place == slots.count { slots.append(Slot()) }
        lastSequence += 1
        slots[place].sequence = lastSequence
        slots[place].time = time
        commands.withUnsafeBytes { slots[place].commands.append(contentsOf: $0) }
        kept += 1
        keptBytes += commands.byteCount
        return lastSequence
    }

    /// Keeps the time.
    public func note(time: Int64) {
        notedTime = max(notedTime, time)
    }

    /// Closes it; what it keeps stays for the next opening.
    public func close() throws {
        isOpen = false
    }
}

/// The journal is open already.
public struct JournalIsOpen: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error.
    public init() {}

    /// A sentence.
    public var description: String { "the journal is open; let one broker at a time write it" }
}
