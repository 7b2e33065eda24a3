/// A journal in memory, for brokers whose popups need not survive them, and for tests.
///
/// It keeps only the latest batches, within its retention, so that it does not grow without limit. It cannot restore a
/// state, but the latest batches can be replayed.
public final class MemoryJournal: Journal {
    /// The limits of what is kept. The oldest batches are removed first.
    public struct Retention: Sendable, Hashable {
        /// The maximum number of batches; at least 1.
        public var batches: Int
        /// The maximum size of the commands in bytes. The latest batch is kept even if it is larger.
        public var bytes: Int

        /// Creates limits; by default 16 batches within 1 MiB. These fit the processor's cache, and each batch is
        /// written to the memory of an earlier one.
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

    /// The limits of what is kept.
    public let retention: Retention
    /// The latest time passed to `record`.
    public private(set) var recordedTime: Int64 = 0
    private var nextEpoch: UInt64
    private var lastSequence: UInt64 = 0
    private var isOpen = false
    // A ring: a batch takes the slot, and the memory, of the one that it displaces. Nothing else is called while a
    // batch is written, so accesses cannot overlap, and need no check.
    @exclusivity(unchecked)
    private var slots: [Slot] = []
    private var kept = 0
    private var keptBytes = 0

    /// Creates an empty journal.
    ///
    /// - Parameters:
    ///   - firstEpoch: The epoch of its first opening. Subscribers of an earlier process accept a state only if its
    ///     epoch is greater. Use a number that grows from process to process, such as the time.
    ///   - retention: The limits of what is kept.
    public init(firstEpoch: UInt64 = 1, retention: Retention = Retention()) {
        nextEpoch = firstEpoch
        self.retention = retention
    }

    /// Opens the journal. The epoch is one more than at the last opening.
    ///
    /// - Throws: `JournalIsOpen` if it was not closed.
    public func open() throws -> JournalOpening {
        guard !isOpen else { throw JournalIsOpen() }
        isOpen = true
        defer { nextEpoch += 1 }
        return JournalOpening(epoch: nextEpoch, lastSequence: lastSequence)
    }

    /// Calls `body` with each kept batch from `sequence` on.
    public func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        for number in lastSequence - UInt64(kept)..<lastSequence {
            let slot = slots[Int(number % UInt64(retention.batches))]
            guard slot.sequence >= sequence else { continue }
            try body(JournalBatch(sequence: slot.sequence, time: slot.time, commands: slot.commands))
        }
    }

    /// Keeps a batch.
    public func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        let index = Int(lastSequence % UInt64(retention.batches))
        while kept > 0, kept == retention.batches || keptBytes + commands.byteCount > retention.bytes {
            let oldest = Int((lastSequence - UInt64(kept)) % UInt64(retention.batches))
            keptBytes -= slots[oldest].commands.count
            kept -= 1
            slots[oldest].commands.removeAll(keepingCapacity: slots[oldest].commands.capacity <= 65_536)
        }
        if index == slots.count { slots.append(Slot()) }
        lastSequence += 1
        slots[index].sequence = lastSequence
        slots[index].time = time
        commands.withUnsafeBytes { slots[index].commands.append(contentsOf: $0) }
        kept += 1
        keptBytes += commands.byteCount
        return lastSequence
    }

    /// Keeps the time.
    public func record(time: Int64) {
        recordedTime = max(recordedTime, time)
    }

    /// Closes the journal. The kept batches remain for the next opening.
    public func close() throws {
        isOpen = false
    }
}

/// The error that a journal is already open.
public struct JournalIsOpen: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the error.
    public init() {}

    /// One sentence that says what is wrong.
    public var description: String { "the journal is already open; only one broker at a time may use it" }
}
