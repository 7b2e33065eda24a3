import PopupProtocol

/// Commands that wait to be sent, in order, and how they are gathered into frames.
///
///     append ──▶ │ … waiting … │ ──▶ fillFrame ──▶ the socket took it: removeFirst
///                      │
///                      └──▶ removed: cancelled, or overdue
struct Outbox {
    typealias Completion = CheckedContinuation<Void, any Error>

    struct Entry {
        let id: UInt64
        /// A binary `Command`; empty: nothing is sent, but it is known when all before it has been.
        let bytes: [UInt8]
        let deadline: ContinuousClock.Instant
        /// For the errors.
        let timeout: Duration
        let completion: Completion?
    }

    private(set) var entries: [Entry] = []
    private(set) var byteCount = 0
    private let limits: ClientLimits

    init(limits: ClientLimits) {
        self.limits = limits
    }

    /// The earliest time at which an entry is overdue.
    var deadline: ContinuousClock.Instant? { entries.lazy.map(\.deadline).min() }

    mutating func append(_ entry: Entry) throws(ClientError) {
        guard entries.count < limits.queuedCommands else { throw .queueFull(limit: limits.queuedCommands) }
        guard byteCount + entry.bytes.count <= limits.queuedBytes else { throw .queueFull(limit: limits.queuedBytes) }
        entries.append(entry)
        byteCount += entry.bytes.count
    }

    /// Fills the next frame: with one command as it is, or several in a `Batch`.
    ///
    /// - Returns: how many entries it serves; the frame is empty when none of them is to be sent.
    func fillFrame(_ frame: inout [UInt8]) -> Int {
        frame.removeAll(keepingCapacity: true)
        var served = 0
        var commands = 0
        for entry in entries {
            guard !entry.bytes.isEmpty else {
                served += 1
                continue
            }
            let size = Self.batchOverhead + entry.bytes.count
            if commands == 0, size > limits.batchBytes || isLastToSend(at: served) {
                frame += entry.bytes
                return served + 1
            }
            guard commands < limits.batchCommands, frame.count + size <= limits.batchBytes else { break }
            frame.append(BatchFrame.firstByte)
            Self.appendVarint(entry.bytes.count, to: &frame)
            frame += entry.bytes
            commands += 1
            served += 1
        }
        return served
    }

    private func isLastToSend(at index: Int) -> Bool {
        entries[(index + 1)...].allSatisfy(\.bytes.isEmpty)
    }

    mutating func removeFirst(_ count: Int) -> [Completion] {
        let completions = entries.prefix(count).compactMap(\.completion)
        for entry in entries.prefix(count) { byteCount -= entry.bytes.count }
        entries.removeFirst(count)
        return completions
    }

    mutating func remove(_ id: UInt64) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        byteCount -= entries[index].bytes.count
        return entries.remove(at: index)
    }

    mutating func removeOverdue(at now: ContinuousClock.Instant) -> [Entry] {
        let overdue = entries.filter { $0.deadline <= now }
        guard !overdue.isEmpty else { return [] }
        entries.removeAll { $0.deadline <= now }
        for entry in overdue { byteCount -= entry.bytes.count }
        return overdue
    }

    mutating func removeAll() -> [Completion] {
        removeFirst(entries.count)
    }

    /// The tag and the longest length of a command in a `Batch`.
    private static let batchOverhead = 4

    private static func appendVarint(_ value: Int, to frame: inout [UInt8]) {
        var rest = value
        while rest > 0x7F {
            frame.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        frame.append(UInt8(rest))
    }
}
