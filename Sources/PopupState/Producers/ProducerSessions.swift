import PopupJournal
public import PopupProtocol
public import PopupScheduling

/// Which sequences of which producers are settled, and how: what makes a repetition change nothing.
///
/// It is a part of what the journal determines: it changes only by what is committed, in that order, so that a replay
/// gives the same producer sessions. Who is heard of without anything new leaves no trace in it.
public struct ProducerSessions: ~Copyable {
    /// Its bounds.
    package struct Bounds: Hashable {
        /// Producers remembered at most.
        package var producers: Int
        /// Ranges of settled sequences above a producer's first gap at most.
        package var gaps: Int
        /// So long, in ms, a silent producer is remembered while there is room.
        package var deduplicationWindow: Milliseconds

        package init(producers: Int = 100_000, gaps: Int = 1024, deduplicationWindow: Milliseconds = 86_400_000) {
            self.producers = producers
            self.gaps = gaps
            self.deduplicationWindow = deduplicationWindow
        }
    }

    /// How a command stands to what was settled.
    public enum Standing: Equatable {
        /// Its sequence isn't settled.
        case new
        /// Its sequence was settled by it.
        case repeated
        /// Its sequence was settled by another command.
        case contradicting
    }

    /// In ms: who has been silent for less makes place for nobody.
    static let briefSilence: Milliseconds = 60_000
    /// With each new producer so many are forgotten at most whose time is over.
    private static let forgottenAtOnce = 2

    /// The index of a producer's record. It is valid until the producer is forgotten.
    public typealias Index = TableIndex<ProducerRecord>

    @usableFromInline
    struct Place {
        @usableFromInline var record: ProducerRecord
        @usableFromInline var isInUse = true
        /// The last batch that has something of it, or has it leave.
        @usableFromInline var batch: UInt64 = 0
        @usableFromInline var isLeaving = false
        // In the order in which they were last settled.
        @Packed var older: Index? = nil
        @Packed var younger: Index? = nil
    }

    package var bounds: Bounds
    /// The user whose commands are settled; empty for a client without a key.
    @usableFromInline package var user = ""
    @usableFromInline var table: [Place] = []
    private var free: [Index] = []
    @usableFromInline var placesByName: [ProducerName: Index] = [:]
    private var oldest: Index?
    private var youngest: Index?
    // For the new producers of batches that haven't completed: how many, and who makes place for the last of them. The
    // one that is gathered, and the oldest of them.
    @usableFromInline var batch: UInt64 = 1
    @usableFromInline var pending: UInt64 = 1
    private var reserved = 0
    private var reservedBefore = 0
    private var leaving: Index?

    package init(_ bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// Producers remembered.
    package var count: Int { placesByName.count }

    /// Where a producer's record is; at `hint`, if it still is there. O(1).
    @inlinable @inline(__always)
    package func place(of producer: ProducerName, hint: Index? = nil) -> Index? {
        if let hint, hint.number < table.count, table[hint.number].isInUse,
            table[hint.number].record.producer == producer
        {
            return hint
        }
        return placesByName[producer]
    }

    /// What is known of the producer at a place.
    package subscript(place: Index) -> ProducerRecord {
        @inlinable @inline(__always) _read { yield table[place.number].record }
    }

    /// How a command of the producer at a place stands to what was settled.
    @inlinable @inline(__always)
    package func standing(at place: Index, _ sequence: UInt64, digest: UInt64) -> Standing {
        guard table[place.number].record.isSettled(sequence) else { return .new }
        // What is too old to be compared is taken for the same.
        guard let settled = table[place.number].record.digest(of: sequence) else { return .repeated }
        return settled == digest ? .repeated : .contradicting
    }

    /// Settles a sequence, if it isn't settled. The producer gets a record with its first one; others are forgotten
    /// then whose time is over, or who make place.
    ///
    /// - Parameters:
    ///   - refusal: `nil` for what was accepted.
    ///   - hint: where the producer's record is, as far as the caller knows.
    /// - Returns: Where the producer's record is.
    @discardableResult
    @inlinable @inline(__always)
    package mutating func settle(
        _ sender: CommandSender, digest: UInt64, refusal: SettledRefusal?, at now: Milliseconds, hint: Index? = nil
    ) -> Index {
        let place = place(of: sender.producer, hint: hint) ?? make(sender.producer, at: now)
        guard !table[place.number].record.isSettled(sender.sequence) else { return place }
        table[place.number].record.settle(sender.sequence, digest: digest, refusal: refusal)
        if !user.isEmpty { noteOwner(at: place) }
        if table[place.number].record.settledAt != now {
            table[place.number].record.settledAt = now
            unlink(place)
            linkYoungest(place)
        }
        return place
    }

    @usableFromInline
    mutating func noteOwner(at place: Index) {
        if table[place.number].record.owner != user { table[place.number].record.owner = user }
    }

    /// Returns the user who owns a producer's name; `nil` if no command with a user is settled under it.
    package func owner(of producer: ProducerName) -> String? {
        guard let place = placesByName[producer] else { return nil }
        let owner = table[place.number].record.owner
        return owner.isEmpty ? nil : owner
    }

    // MARK: - Batches

    /// Keeps room for a producer that isn't known, until the batch that is gathered has completed. Returns whether
    /// there is any.
    package mutating func reserve(at now: Milliseconds) -> Bool {
        if count + reservedBefore + reserved >= bounds.producers {
            var next = if let leaving { table[leaving.number].younger } else { oldest }
            while let place = next, table[place.number].batch >= pending { next = table[place.number].younger }
            guard let next, isSilent(next, at: now) else { return false }
            table[next.number].batch = batch
            table[next.number].isLeaving = true
            leaving = next
        }
        reserved += 1
        return true
    }

    /// Lets the producer at a place make place for nobody until the batch that is gathered has completed: something of
    /// it is to be settled. If it is to go for one that came before, it needs room like a new one. Returns whether
    /// there is any.
    @inlinable @inline(__always)
    package mutating func hold(_ place: Index, at now: Milliseconds) -> Bool {
        if table[place.number].batch < pending {
            table[place.number].isLeaving = false
        } else if table[place.number].isLeaving, !holdLeaving(place, at: now) {
            return false
        }
        table[place.number].batch = batch
        return true
    }

    @usableFromInline
    mutating func holdLeaving(_ place: Index, at now: Milliseconds) -> Bool {
        guard reserve(at: now) else { return false }
        table[place.number].isLeaving = false
        return true
    }

    /// The next batch is gathered. Returns how many new producers there is room kept for in the one before.
    package mutating func beginBatch() -> Int {
        defer { reserved = 0 }
        batch += 1
        reservedBefore += reserved
        return reserved
    }

    /// The oldest batch has completed, whatever came of it.
    ///
    /// - Parameter reserved: what `beginBatch` said of it.
    package mutating func endBatch(reserved: Int) {
        pending += 1
        reservedBefore -= reserved
        // It may be gone.
        leaving = nil
    }

    // MARK: - Snapshots

    /// Calls `visit` with each record, the longest silent first.
    func visit(_ visit: (ProducerRecord) -> Void) {
        var next = oldest
        while let place = next {
            visit(table[place.number].record)
            next = table[place.number].younger
        }
    }

    /// Appends each record to a snapshot.
    func append(to log: inout CommandLog) {
        visit { record in log.append(.producer) { record.append(to: &$0) } }
    }

    /// Takes a record that a snapshot has; they come the longest silent first.
    ///
    /// - Throws: When it is damaged, or not the first of its producer.
    mutating func restore(_ bytes: ArraySlice<UInt8>) throws(JournalContentError) {
        let record = try ProducerRecord(bytes: bytes)
        guard placesByName[record.producer] == nil,
            youngest.map({ table[$0.number].record.settledAt <= record.settledAt }) ?? true
        else { throw JournalContentError(what: "the order of the producers is damaged") }
        insert(record)
    }

    // MARK: - The table

    @usableFromInline
    mutating func make(_ producer: ProducerName, at now: Milliseconds) -> Index {
        var forgotten = 0
        while let oldest, forgotten < Self.forgottenAtOnce,
            table[oldest.number].record.settledAt <= now - bounds.deduplicationWindow
        {
            forget(oldest)
            forgotten += 1
        }
        // When nobody makes place there is one more, as under a lower bound than before: what is committed is settled.
        while count >= bounds.producers, let oldest, isSilent(oldest, at: now) { forget(oldest) }
        return insert(ProducerRecord(producer, at: now))
    }

    private func isSilent(_ place: Index, at now: Milliseconds) -> Bool {
        table[place.number].record.settledAt <= now - min(Self.briefSilence, bounds.deduplicationWindow)
    }

    @discardableResult
    private mutating func insert(_ record: ProducerRecord) -> Index {
        let place: Index
        if let reused = free.popLast() {
            place = reused
            table[place.number] = Place(record: record)
        } else {
            place = Index(number: table.count)
            table.append(Place(record: record))
        }
        placesByName[record.producer] = place
        linkYoungest(place)
        return place
    }

    private mutating func forget(_ place: Index) {
        let producer = table[place.number].record.producer
        unlink(place)
        placesByName[producer] = nil
        // Its memory goes with it.
        table[place.number] = Place(record: ProducerRecord(producer, at: 0), isInUse: false)
        free.append(place)
    }

    @usableFromInline
    mutating func unlink(_ place: Index) {
        let (older, younger) = (table[place.number].older, table[place.number].younger)
        if let older { table[older.number].younger = younger } else { oldest = younger }
        if let younger { table[younger.number].older = older } else { youngest = older }
    }

    @usableFromInline
    mutating func linkYoungest(_ place: Index) {
        table[place.number].older = youngest
        table[place.number].younger = nil
        if let youngest { table[youngest.number].younger = place } else { oldest = place }
        youngest = place
    }
}
