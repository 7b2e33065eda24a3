import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// Commands that are committed together, from the first that is received until all are applied.
///
///     gathered ──▶ committed ──▶ applied, published, emptied for a later one
///        │                         ▲
///        └──▶ in flight: committed beside the loop, which gathers the next
struct Batch {
    /// What the journal is to have.
    var log = CommandLog()
    var entries: [BatchEntry] = []
    /// What the ordinary `show`s ask for: beside the entries, so that these are small to pass on.
    var requests: [PopupRequest] = []
    /// What the ordinary `dismiss`es ask for.
    var dismissals: [Dismissal] = []
    /// What its other entries hold.
    var others: [BatchEntry.Other] = []
    /// The time zones that it has.
    var enteredZones = TimeZoneTable()
    /// Messages that were taken for it.
    var messages = 0
    /// Their bytes.
    var receivedBytes = 0
    /// Popups and groups that it goes through.
    var visits = 0
    /// Commands in them that came again, and so are no entries.
    var repetitions = 0
    /// When its commands are applied; set when it is closed.
    var time: Milliseconds = 0

    var isEmpty: Bool { entries.isEmpty }
    /// Commands that were looked at for it.
    var commands: Int { entries.count + repetitions }

    /// Forgets what it holds and keeps the memory.
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
    }
}

extension Batch {
    /// Takes out its questions, for being answered before it is committed; with each, why it was refused, if it was.
    mutating func takeQuestions() -> [(query: WireQuery, refusal: CommandRefusal?)] {
        var questions: [(query: WireQuery, refusal: CommandRefusal?)] = []
        for place in others.indices {
            switch others[place] {
            case .query(let query):
                questions.append((query, nil))
                others[place] = .answered
            case .refused(let refusal, let query?):
                questions.append((query, refusal))
                others[place] = .refused(refusal, nil)
            default: break
            }
        }
        return questions
    }

    /// Has all that could not be committed refused, and settled by none of its sequences.
    mutating func refuseAll(because detail: String) {
        let former = others
        entries.removeAll { entry in
            guard case .other(let place) = entry.content else { return false }
            switch former[Int(place)] {
            case .state(.timeZone), .state(.settings), .state(.wallClock): return true
            default: return false
            }
        }
        for index in entries.indices {
            entries[index].number = BatchEntry.unnumbered
            guard !entries[index].range.isEmpty else { continue }
            let bytes = Array(log.bytes[entries[index].range])
            let subject = (try? WireCommand(serializedBytes: bytes))?.subject
            let refusal = CommandRefusal(
                .overload, detail, group: subject.flatMap { GroupName($0.group) }, popup: subject?.popup ?? "")
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
