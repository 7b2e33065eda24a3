import PopupProtocol

/// Commands that have not been sent yet, in order.
///
///     append ──▶ │ … waiting … │ ──▶ the socket took it: removeFirst
///                      │
///                      └──▶ removed: cancelled, or overdue
struct SendQueue {
    typealias Instant = ContinuousClock.Instant

    struct Entry {
        enum Kind {
            /// A command that is sent as it is.
            case bestEffort
            /// A command that is numbered when it is sent, and sent again until it is acknowledged.
            case confirmed
            /// A marker, reached when all entries before it are sent.
            case marker
        }

        let id: UInt64
        let kind: Kind
        /// A binary `Command`, without producer and sequence if it is confirmed.
        let body: [UInt8]
        /// The time at which it is dropped; `nil`: never.
        let deadline: Instant?
        fileprivate(set) var storage = Storage.none
    }

    /// The progress of an entry into the outbox file. From the first step on it is neither cancelled nor dropped.
    enum Storage: Equatable {
        case none
        case writing
        /// The command is on disk, under this sequence.
        case stored(UInt64)
    }

    private var entries: [Entry] = []
    /// The index of the first entry.
    private var head = 0
    /// The bytes of the entries that are not on disk.
    private(set) var byteCount = 0
    private var storedCount = 0
    /// A time before which no entry is overdue.
    private(set) var deadline: Instant?
    private let limits: ClientLimits

    init(limits: ClientLimits) {
        self.limits = limits
    }

    var waiting: ArraySlice<Entry> { entries[head...] }
    var isEmpty: Bool { head == entries.count }

    /// Appends an entry.
    ///
    /// - Throws: `queueFull`.
    mutating func append(_ entry: Entry) throws(ClientError) {
        guard entries.count - head - storedCount < limits.queuedCommands else {
            throw .queueFull(limit: limits.queuedCommands)
        }
        guard byteCount + entry.body.count <= limits.queuedBytes else { throw .queueFull(limit: limits.queuedBytes) }
        entries.append(entry)
        byteCount += entry.body.count
        if let overdue = entry.deadline { deadline = min(deadline ?? overdue, overdue) }
    }

    mutating func removeFirst(_ count: Int) -> [Entry] {
        let removed = Array(entries[head..<head + count])
        for entry in removed { forget(entry) }
        head += count
        if head == entries.count || head > 1024 {
            entries.removeFirst(head)
            head = 0
        }
        return removed
    }

    mutating func remove(_ id: UInt64) -> Entry? {
        guard let index = waiting.firstIndex(where: { $0.id == id && $0.storage == .none }) else { return nil }
        forget(entries[index])
        return entries.remove(at: index)
    }

    mutating func removeOverdue(at now: Instant) -> [Entry] {
        guard let deadline, deadline <= now else { return [] }
        let overdue = waiting.filter { $0.deadline.map { $0 <= now } ?? false }
        entries = waiting.filter { $0.deadline.map { $0 > now } ?? true }
        head = 0
        for entry in overdue { forget(entry) }
        self.deadline = entries.lazy.compactMap(\.deadline).min()
        return overdue
    }

    private mutating func forget(_ entry: Entry) {
        if case .stored = entry.storage { storedCount -= 1 } else { byteCount -= entry.body.count }
    }

    mutating func removeAll() -> [Entry] {
        removeFirst(entries.count - head)
    }

    // MARK: The outbox file

    /// Appends an entry that is already on disk.
    mutating func append(_ id: UInt64, _ body: [UInt8], storedAs sequence: UInt64) {
        entries.append(
            Entry(id: id, kind: .confirmed, body: body, deadline: nil, storage: .stored(sequence)))
        storedCount += 1
    }

    /// Returns the entries to be written to disk, in order.
    mutating func beginStoring() -> [Entry] {
        var begun: [Entry] = []
        for index in waiting.indices where entries[index].kind == .confirmed && entries[index].storage == .none {
            entries[index].storage = .writing
            begun.append(entries[index])
        }
        return begun
    }

    /// Records that these entries are on disk.
    ///
    /// - Parameter first: The sequence of the first of them.
    mutating func endStoring(from first: UInt64) {
        var sequence = first
        for index in waiting.indices where entries[index].storage == .writing {
            entries[index].storage = .stored(sequence)
            sequence += 1
            storedCount += 1
            byteCount -= entries[index].body.count
        }
    }

    /// Removes the entries that could not be written. They are not sent.
    mutating func failStoring() -> [Entry] {
        let failed = waiting.filter { $0.storage == .writing }
        entries = waiting.filter { $0.storage != .writing }
        head = 0
        for entry in failed { forget(entry) }
        return Array(failed)
    }

    /// Renumbers the entries on disk, in order.
    mutating func renumber(from first: UInt64) -> UInt64 {
        var sequence = first
        for index in waiting.indices {
            guard case .stored = entries[index].storage else { continue }
            entries[index].storage = .stored(sequence)
            sequence += 1
        }
        return sequence
    }
}
