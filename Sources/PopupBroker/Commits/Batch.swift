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
    var log = CommandLog()
    var entries: [BatchEntry] = []
    /// The requests of ordinary `show`s, separate from the entries, so that these are small to copy.
    var requests: [PopupRequest] = []
    /// The dismissals of ordinary `dismiss`es.
    var dismissals: [Dismissal] = []
    /// The content of the other entries.
    var others: [BatchEntry.Other] = []
    /// The time zones that it enters.
    var enteredZones = TimeZoneTable()
    /// The number of received messages.
    var messages = 0
    /// The size of these messages in bytes.
    var receivedBytes = 0
    /// The number of popups and groups that its commands visit.
    var visits = 0
    /// The number of repeated commands, which have no entry.
    var repetitions = 0
    /// The number of decoded commands, with those that have no entry, such as renewals of leases.
    var decoded = 0
    /// The time at which its commands are applied; set when it is closed.
    var time: Milliseconds = 0

    var isEmpty: Bool { entries.isEmpty }
    /// The number of its commands, with the repeated ones.
    var commands: Int { entries.count + repetitions }

    /// Removes its content, and keeps the memory.
    mutating func removeAll() {
        log.removeAll()
        entries.forgetAll()
        requests.forgetAll()
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

extension Batch {
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

    /// The renderers whose leases its commands change, one for each command.
    var leaseClients: [String] {
        others.compactMap { other in
            guard case .state(.command(let command)) = other, case .lease(let lease) = command.command else {
                return nil
            }
            return lease.client
        }
    }
}
