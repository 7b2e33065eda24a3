import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// Commands that are committed together, from the first one that is received until all are applied.
///
///     gathered ──▶ committed ──▶ applied, published, emptied for a later one
///        │                         ▲
///        └──▶ in flight: committed by a thread of its own, while the loop gathers the next
struct Batch {
    /// The content for the journal.
    private(set) var log = CommandLog()
    private(set) var entries: [BatchEntry] = []
    /// The ordinary `show`s as they were read, separate from the entries, so that these are small to copy. The request
    /// for the scheduler, twice the size, is made when one is applied.
    private(set) var shows: [ShowFrame] = []
    /// The dismissals of ordinary `dismiss`es.
    private(set) var dismissals: [Dismissal] = []
    /// The content of the other entries.
    private(set) var others: [BatchEntry.Other] = []
    /// The time zones that it enters.
    private(set) var enteredZones = TimeZoneTable()
    /// The number of received messages.
    private(set) var messages = 0
    /// The size of these messages in bytes.
    private(set) var receivedBytes = 0
    /// The number of popups and groups that its commands visit.
    private(set) var visits = 0
    /// The number of repeated commands, which have no entry.
    private(set) var repetitions = 0
    /// The number of decoded commands, with those that have no entry, such as renewals of leases.
    private(set) var decoded = 0
    /// The time at which its commands are applied; set when it is closed.
    private(set) var time: Milliseconds = 0

    var isEmpty: Bool { entries.isEmpty }
    /// The number of its commands, with the repeated ones.
    var commands: Int { entries.count + repetitions }

    // MARK: - What is received

    /// Records a message with commands.
    @inline(__always)
    mutating func recordMessage() { messages += 1 }

    /// Records the size in bytes of what was received.
    @inline(__always)
    mutating func recordReceived(bytes: Int) { receivedBytes += bytes }

    /// Records a command that was decoded.
    mutating func recordDecoded() { decoded += 1 }

    /// Records a command that was repeated, and has no entry.
    mutating func recordRepetition() { repetitions += 1 }

    /// Records the number of popups and groups that a command visits.
    mutating func recordVisits(_ number: Int) { visits += number }

    /// Forgets messages without an entry: what they cost counts for their turn alone.
    mutating func forgetMessages() {
        assert(isEmpty, "messages are forgotten that have entries")
        removeAll()
    }

    // MARK: - The log

    /// Appends a command, and the field of its user, to the log. Returns the range of its bytes.
    @inline(__always)
    mutating func append(command: RawSpan, followedBy userField: RawSpan = RawSpan()) -> Range<Int> {
        log.append(.command, command, followedBy: userField)
    }

    /// Appends an amended command to the log, with the digest of the sent one. Returns the range of its bytes.
    mutating func append(amended command: RawSpan, digest: UInt64) -> Range<Int> {
        log.append(amended: command, digest: digest)
    }

    /// Appends the sequence of a refused command to the log.
    mutating func append(refusedSequence: RawSpan) { log.append(.refusedSequence, refusedSequence) }

    /// Removes from the log what was appended after the first `count` bytes.
    mutating func truncateLog(toByteCount count: Int) { log.truncate(toByteCount: count) }

    /// Removes and returns the log, for a commit on another thread.
    mutating func takeLog() -> CommandLog {
        var taken = CommandLog()
        swap(&taken, &log)
        return taken
    }

    /// Puts back the log that was taken.
    mutating func putBack(_ taken: CommandLog) { log = taken }

    // MARK: - Entries

    /// Adds an entry whose content is kept, and whose command is in the log.
    @inline(__always)
    mutating func enter(_ entry: BatchEntry) { entries.append(entry) }

    /// Adds an entry that is not a command, or is not committed.
    mutating func enter(_ other: BatchEntry.Other, call: Int? = nil, number: NumberedBatch.Index? = nil) {
        entries.append(BatchEntry(content: keep(other), call: call, number: number))
    }

    /// Adds an entry that changes the state, and appends its bytes to the log.
    ///
    /// - Parameter command: The kind of command as which it counts; `nil` for none.
    mutating func enter(
        _ change: BrokerState.Entry, as kind: CommandLog.Kind, _ bytes: RawSpan, counting command: CommandKind? = nil
    ) {
        let range = log.append(kind, bytes)
        entries.append(BatchEntry(content: keep(.state(change)), kind: command, range: range))
    }

    /// Adds the data of a time zone.
    mutating func enter(_ zone: TimeZoneData) {
        enter(.timeZone(zone), as: .timeZone, zone.journalEntry.span.bytes)
        enteredZones.enter(zone)
    }

    /// Adds an ordinary `show`. Returns the content of the entry.
    @inline(__always)
    mutating func keep(_ show: ShowFrame) -> BatchEntry.Content {
        shows.append(show)
        return .show(TableIndex(number: shows.count - 1))
    }

    /// Adds the dismissal of an ordinary `dismiss`. Returns the content of the entry.
    @inline(__always)
    mutating func keep(_ dismissal: Dismissal) -> BatchEntry.Content {
        dismissals.append(dismissal)
        return .dismiss(TableIndex(number: dismissals.count - 1))
    }

    /// Adds the content of another entry. Returns its index as the content of the entry.
    mutating func keep(_ other: BatchEntry.Other) -> BatchEntry.Content {
        others.append(other)
        return .other(TableIndex(number: others.count - 1))
    }

    /// Returns the content of an entry; `nil` for an ordinary command.
    func other(_ entry: BatchEntry) -> BatchEntry.Other? {
        if case .other(let index) = entry.content { others[index.number] } else { nil }
    }

    /// The renderers whose leases its commands change, one for each command.
    var leaseClients: [String] {
        others.compactMap { other in
            guard case .state(.command(let command)) = other, case .lease(let lease) = command.command else {
                return nil
            }
            return lease.client
        }
    }

    // MARK: - The commit

    /// Closes the batch: its commands are applied at this time.
    mutating func close(at time: Milliseconds) { self.time = time }

    /// Removes the queries, and returns them to be answered before the commit; each with its refusal, if it was
    /// refused.
    mutating func takeQueries() -> [(query: WireQuery, refusal: CommandRefusal?)] {
        var queries: [(query: WireQuery, refusal: CommandRefusal?)] = []
        for index in others.indices {
            switch others[index] {
            case .query(let query):
                queries.append((query, nil))
                others[index] = .answered
            case .refused(let refusal, let query?):
                queries.append((query, refusal))
                others[index] = .refused(refusal, nil)
            default: break
            }
        }
        return queries
    }

    /// Replaces all entries that could not be committed by refusals. None of their sequences is settled.
    mutating func refuseAll(because detail: String) {
        let former = others
        entries.removeAll { entry in
            guard case .other(let index) = entry.content else { return false }
            switch former[index.number] {
            case .state(.timeZone), .state(.settings), .state(.wallClock): return true
            default: return false
            }
        }
        for index in entries.indices {
            entries[index].number = nil
            guard !entries[index].range.isEmpty else { continue }
            let bytes = Array(log.bytes[entries[index].range])
            let command = (try? WireCommand(serializedBytes: bytes)) ?? WireCommand()
            var refusal = CommandRefusal(
                .overload, detail, group: GroupName(command.subject.group), popup: command.subject.popup)
            refusal.user = command.by
            var query: WireQuery?
            if case .query(let asked) = other(entries[index]) { query = asked }
            entries[index].content = keep(.refused(refusal, query))
        }
    }

    /// Removes its content, and keeps the memory.
    mutating func removeAll() {
        log.removeAll()
        entries.forgetAll()
        shows.forgetAll()
        dismissals.forgetAll()
        others.forgetAll()
        enteredZones.removeAll()
        messages = 0
        receivedBytes = 0
        visits = 0
        repetitions = 0
        decoded = 0
    }
}
