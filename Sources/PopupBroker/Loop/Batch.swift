import PopupJournal
import PopupProtocol
import PopupScheduling

/// Commands that are committed together, from the first that is received until all are applied.
///
///     gathered ──▶ committed ──▶ completed: applied, published, emptied for a later one
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
