import PopupJournal
public import PopupProtocol
public import PopupScheduling

/// The settled sequences of the producers, by which a repetition is recognized and changes nothing.
///
/// The journal determines it: it changes only by committed commands, in their order, so that a replay has the same
/// result. A producer that only repeats commands changes nothing here.
public struct ProducerSessions: ~Copyable {
    /// The limits of the table.
    package struct Bounds: Hashable {
        /// The maximum number of remembered producers.
        package var producers: Int
        /// The maximum number of ranges of settled sequences above a producer's first gap.
        package var gaps: Int
        /// The time in ms for which a silent producer is remembered while there is space.
        package var deduplicationWindow: Milliseconds

        package init(producers: Int = 100_000, gaps: Int = 1024, deduplicationWindow: Milliseconds = 86_400_000) {
            self.producers = producers
            self.gaps = gaps
            self.deduplicationWindow = deduplicationWindow
        }
    }

    /// The relation of a command to the settled sequences.
    public enum Status: Equatable {
        /// The sequence is not settled.
        case new
        /// The sequence is settled by this command.
        case repeated
        /// The sequence is settled by another command.
        case contradicting
    }

    /// The time in ms for which a producer has to be silent before it is removed for another one.
    package static let briefSilence: Milliseconds = 60_000
    /// The maximum number of expired producers that are removed with each new one.
    private static let forgottenAtOnce = 2

    /// The maximum number of producers for which there is space from the beginning, more than the default limit: nothing
    /// has to be copied for a new one. The system provides the memory when it is used.
    package static let reservedProducers = 1 << 17

    /// The index of a producer's record. It is valid until the producer is forgotten.
    public typealias Index = TableIndex<ProducerRecord>

    @usableFromInline
    struct Entry {
        @usableFromInline var record: ProducerRecord
        @usableFromInline var isInUse = true
        /// The last batch that contains a command of it, or removes it.
        @usableFromInline var batch: UInt64 = 0
        @usableFromInline var isLeaving = false
        // Its neighbours in the order of the last settled commands.
        @Packed var older: Index? = nil
        @Packed var younger: Index? = nil
    }

    package internal(set) var bounds: Bounds {
        didSet { memory.set(bounds) }
    }
    /// The memory that the ranges and refusals of all producers use.
    @usableFromInline package internal(set) var memory: OutcomeMemory
    /// The user whose commands are settled; empty for a client without a key.
    @usableFromInline package internal(set) var user = ""
    @usableFromInline var table: [Entry] = []
    private var free: [Index] = []
    @usableFromInline var indicesByName = SpreadTable<ProducerName, Index>()
    private var oldest: Index?
    private var youngest: Index?
    // The batches that have not completed: the number of the one that is gathered, and of the oldest one; how many new
    // producers each reserves space for, and the producer that is removed for the last of them.
    @usableFromInline var batch: UInt64 = 1
    @usableFromInline var pending: UInt64 = 1
    private var reserved = 0
    private var reservedBefore = 0
    private var leaving: Index?

    package init(_ bounds: Bounds = Bounds()) {
        self.bounds = bounds
        memory = OutcomeMemory(bounds)
        table.reserveCapacity(min(bounds.producers, Self.reservedProducers))
    }

    /// The number of remembered producers.
    package var count: Int { indicesByName.count }

    /// Returns the index of a producer's record: `hint`, if it still is that. O(1).
    @inlinable @inline(__always)
    package func index(of producer: ProducerName, hint: Index? = nil) -> Index? {
        if let hint, hint.number < table.count, table[hint.number].isInUse,
            table[hint.number].record.producer == producer
        {
            return hint
        }
        return indicesByName[producer]
    }

    /// The record of a producer.
    package subscript(index: Index) -> ProducerRecord {
        @inlinable @inline(__always) _read { yield table[index.number].record }
    }

    /// Returns the relation of a producer's command to its settled sequences.
    @inlinable @inline(__always)
    package func status(at index: Index, _ sequence: UInt64, digest: UInt64) -> Status {
        guard table[index.number].record.isSettled(sequence) else { return .new }
        // If the digest is no longer remembered, the command counts as the same.
        guard let settled = table[index.number].record.digest(of: sequence) else { return .repeated }
        return settled == digest ? .repeated : .contradicting
    }

    /// Settles a sequence, unless it is settled. The first one of a producer creates its record, and removes records of
    /// expired producers, and of silent ones if the table is full.
    ///
    /// - Parameters:
    ///   - refusal: The refusal of the command; `nil` if it was accepted.
    ///   - hint: The index of the producer's record, as far as the caller knows.
    /// - Returns: The index of the producer's record.
    @discardableResult
    @inlinable @inline(__always)
    mutating func settle(
        _ sender: CommandSender, digest: UInt64, refusal: SettledRefusal?, at now: Milliseconds, hint: Index? = nil
    ) -> Index {
        let index = index(of: sender.producer, hint: hint) ?? add(sender.producer, at: now)
        guard !table[index.number].record.isSettled(sender.sequence) else { return index }
        table[index.number].record.settle(sender.sequence, digest: digest, refusal: refusal, in: &memory)
        if !user.isEmpty { recordOwner(at: index) }
        if table[index.number].record.settledAt != now {
            table[index.number].record.settledAt = now
            unlink(index)
            linkYoungest(index)
        }
        return index
    }

    /// Returns a refusal of a producer's new command as it can be settled: without its detail, and those of earlier ones,
    /// if memory is short; `nil` if there is no room for it. Then its sequence must not be settled.
    @usableFromInline
    mutating func fitting(_ refusal: SettledRefusal, of sender: CommandSender, hint: Index? = nil) -> SettledRefusal? {
        guard let index = index(of: sender.producer, hint: hint) else { return refusal }
        let own = table[index.number].record.outcomeBytes
        if memory.hasRoom(for: RefusedSequence.maxBytes, beside: own)
            || table[index.number].record.isSettled(sender.sequence)
        {
            return refusal
        }
        table[index.number].record.removeDetails(in: &memory)
        let rest = table[index.number].record.outcomeBytes
        guard memory.hasRoom(for: RefusedSequence.bytesWithoutDetail, beside: rest) else { return nil }
        return SettledRefusal(refusal.reason, "")
    }

    @usableFromInline
    mutating func recordOwner(at index: Index) {
        if table[index.number].record.owner != user { table[index.number].record.owner = user }
    }

    /// Returns the producers whose sequences were settled last, the latest first, at most `limit`.
    func latest(_ limit: Int) -> [Index] {
        var found: [Index] = []
        var next = youngest
        while let index = next, found.count < limit {
            found.append(index)
            next = table[index.number].older
        }
        return found
    }

    /// Returns the producers whose names come after `last` in byte order, in this order, at most `limit`, which is at
    /// least 1. O(n log limit): all names are visited, and no more than twice as many as are returned are sorted at once.
    func inOrder(after last: ProducerName?, limit: Int) -> [Index] {
        // The least names so far, and the greatest of them if they are `limit`: no name after it is returned.
        var found: [ProducerName] = []
        var end: ProducerName?
        for name in indicesByName.keys {
            if let last, !last.precedes(name) { continue }
            if let end, !name.precedes(end) { continue }
            found.append(name)
            guard found.count >= 2 * limit else { continue }
            found.sort { $0.precedes($1) }
            found.removeSubrange(limit...)
            end = found.last
        }
        found.sort { $0.precedes($1) }
        return found.prefix(limit).compactMap { indicesByName[$0] }
    }

    /// Returns the user who owns a producer's name; `nil` if no command with a user is settled under it.
    package func owner(of producer: ProducerName) -> String? {
        guard let index = indicesByName[producer] else { return nil }
        let owner = table[index.number].record.owner
        return owner.isEmpty ? nil : owner
    }

    // MARK: - Batches

    /// Reserves space for an unknown producer until the gathered batch has completed. Returns whether there is space.
    mutating func reserve(at now: Milliseconds) -> Bool {
        if count + reservedBefore + reserved >= bounds.producers {
            var next = if let leaving { table[leaving.number].younger } else { oldest }
            while let index = next, table[index.number].batch >= pending { next = table[index.number].younger }
            guard let next, isSilent(next, at: now) else { return false }
            table[next.number].batch = batch
            table[next.number].isLeaving = true
            leaving = next
        }
        reserved += 1
        return true
    }

    /// Keeps a producer until the gathered batch has completed, since a command of it is to be settled. If it is to be
    /// removed for a producer of an earlier batch, it needs space like a new one. Returns whether there is space.
    @inlinable @inline(__always)
    mutating func hold(_ index: Index, at now: Milliseconds) -> Bool {
        if table[index.number].batch < pending {
            table[index.number].isLeaving = false
        } else if table[index.number].isLeaving, !holdLeaving(index, at: now) {
            return false
        }
        table[index.number].batch = batch
        return true
    }

    @usableFromInline
    mutating func holdLeaving(_ index: Index, at now: Milliseconds) -> Bool {
        guard reserve(at: now) else { return false }
        table[index.number].isLeaving = false
        return true
    }

    /// Begins the next batch. Returns the number of new producers for which the one before reserves space.
    mutating func beginBatch() -> Int {
        defer { reserved = 0 }
        batch += 1
        reservedBefore += reserved
        return reserved
    }

    /// Ends the oldest batch, whether or not it was committed.
    ///
    /// - Parameter reserved: The result of `beginBatch` for it.
    mutating func endBatch(reserved: Int) {
        pending += 1
        reservedBefore -= reserved
        // Its record may have been removed.
        leaving = nil
    }

    // MARK: - Snapshots

    /// Calls `visit` with each record, in the order of the last settled commands.
    func visit(_ visit: (ProducerRecord) -> Void) {
        var next = oldest
        while let index = next {
            visit(table[index.number].record)
            next = table[index.number].younger
        }
    }

    /// Appends each record to a snapshot.
    func append(to log: inout CommandLog) {
        visit { record in log.append(.producer) { record.append(to: &$0) } }
    }

    /// Adds a record of a snapshot. The records have to be in the order of the last settled commands.
    ///
    /// - Throws: `JournalContentError` if it is damaged, out of order, or the second one of its producer.
    mutating func restore(_ bytes: ArraySlice<UInt8>) throws(JournalContentError) {
        let record = try ProducerRecord(bytes: bytes)
        guard indicesByName[record.producer] == nil,
            youngest.map({ table[$0.number].record.settledAt <= record.settledAt }) ?? true
        else { throw JournalContentError(what: "the order of the producers is damaged") }
        insert(record)
    }

    // MARK: - The table

    @usableFromInline
    mutating func add(_ producer: ProducerName, at now: Milliseconds) -> Index {
        var forgotten = 0
        while let oldest, forgotten < Self.forgottenAtOnce,
            table[oldest.number].record.settledAt <= now - bounds.deduplicationWindow
        {
            forget(oldest)
            forgotten += 1
        }
        // If none has been silent for long enough, there is one more than allowed: a committed command is always settled.
        while count >= bounds.producers, let oldest, isSilent(oldest, at: now) { forget(oldest) }
        return insert(ProducerRecord(producer, at: now))
    }

    private func isSilent(_ index: Index, at now: Milliseconds) -> Bool {
        table[index.number].record.settledAt <= now - min(Self.briefSilence, bounds.deduplicationWindow)
    }

    @discardableResult
    private mutating func insert(_ record: ProducerRecord) -> Index {
        let index: Index
        if let reused = free.popLast() {
            index = reused
            table[index.number] = Entry(record: record)
        } else {
            index = Index(number: table.count)
            table.append(Entry(record: record))
        }
        indicesByName[record.producer] = index
        memory.add(record.outcomeBytes)
        linkYoungest(index)
        return index
    }

    private mutating func forget(_ index: Index) {
        let producer = table[index.number].record.producer
        unlink(index)
        indicesByName[producer] = nil
        memory.add(-table[index.number].record.outcomeBytes)
        // The memory of the record is freed.
        table[index.number] = Entry(record: ProducerRecord(producer, at: 0), isInUse: false)
        free.append(index)
    }

    @usableFromInline
    mutating func unlink(_ index: Index) {
        let (older, younger) = (table[index.number].older, table[index.number].younger)
        if let older { table[older.number].younger = younger } else { oldest = younger }
        if let younger { table[younger.number].older = older } else { youngest = older }
    }

    @usableFromInline
    mutating func linkYoungest(_ index: Index) {
        table[index.number].older = youngest
        table[index.number].younger = nil
        if let youngest { table[youngest.number].younger = index } else { oldest = index }
        youngest = index
    }
}

extension ProducerName {
    /// Returns whether the name comes before another one in byte order.
    fileprivate func precedes(_ other: Self) -> Bool { (high, low) < (other.high, other.low) }
}
