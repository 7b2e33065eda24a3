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
            /// Sent as it is.
            case bestEffort
            /// Numbered when it is sent, and sent again until it is acknowledged.
            case confirmed
            /// Nothing to send: tells when all before it has been.
            case marker
        }

        let id: UInt64
        let kind: Kind
        /// A binary `Command`, without producer and sequence when it is to be confirmed.
        let body: [UInt8]
        /// When it is given up; nil: it waits for as long as it takes.
        let deadline: Instant?
    }

    private var entries: [Entry] = []
    /// The first that has not been removed.
    private var head = 0
    private(set) var byteCount = 0
    /// No entry is overdue before it.
    private(set) var deadline: Instant?
    private let limits: ClientLimits

    init(limits: ClientLimits) {
        self.limits = limits
    }

    var waiting: ArraySlice<Entry> { entries[head...] }
    var isEmpty: Bool { head == entries.count }

    /// - Throws: `queueFull`.
    mutating func append(_ entry: Entry) throws(ClientError) {
        guard entries.count - head < limits.queuedCommands else { throw .queueFull(limit: limits.queuedCommands) }
        guard byteCount + entry.body.count <= limits.queuedBytes else { throw .queueFull(limit: limits.queuedBytes) }
        entries.append(entry)
        byteCount += entry.body.count
        if let overdue = entry.deadline { deadline = min(deadline ?? overdue, overdue) }
    }

    mutating func removeFirst(_ count: Int) -> [Entry] {
        let removed = Array(entries[head..<head + count])
        for entry in removed { byteCount -= entry.body.count }
        head += count
        if head == entries.count || head > 1024 {
            entries.removeFirst(head)
            head = 0
        }
        return removed
    }

    mutating func remove(_ id: UInt64) -> Entry? {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
        byteCount -= entries[index].body.count
        return entries.remove(at: index)
    }

    mutating func removeOverdue(at now: Instant) -> [Entry] {
        guard let deadline, deadline <= now else { return [] }
        let overdue = waiting.filter { $0.deadline.map { $0 <= now } ?? false }
        let kept = waiting.filter { $0.deadline.map { $0 > now } ?? true }
        for entry in overdue { byteCount -= entry.body.count }
        entries = kept
        head = 0
        self.deadline = kept.lazy.compactMap(\.deadline).min()
        return overdue
    }

    mutating func removeAll() -> [Entry] {
        removeFirst(entries.count - head)
    }
}
