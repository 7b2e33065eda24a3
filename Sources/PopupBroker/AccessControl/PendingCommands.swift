import PopupAccess

/// The changes of allowed commands in batches that are not applied yet, as far as rights depend on them: suspensions by
/// token, the users of popups with a collapse key, and the users of popups.
struct PendingCommands {
    /// The greatest number of patterns of one token that are distinguished. More count as all groups, so that no check
    /// takes long.
    static var patternsPerToken: Int { 16 }

    /// A group and a collapse key in it.
    struct Key: Hashable {
        var group: String
        var key: String
    }

    private struct Suspension {
        var batch: UInt64
        var pattern: String
    }

    private struct Showing {
        /// The batch of the last popup with the key.
        var batch: UInt64
        /// The user of all of them; `nil`: several users.
        var user: UserName??
    }

    private var suspensions: [String: [Suspension]] = [:]
    private struct Popup {
        /// The batch of the last popup with the id.
        var batch: UInt64
        /// The group and the user of the popup; `nil`: several users.
        var place: Place?
    }

    private struct Place: Equatable {
        var group: String
        var user: UserName?
    }

    private var showings: [Key: Showing] = [:]
    private var popups: [String: Popup] = [:]
    // The batches are numbered in order.
    private var gatheredBatch: UInt64 = 0
    private var oldestBatch: UInt64 = 0

    // MARK: - Batches

    /// Begins the next batch.
    mutating func closeBatch() { gatheredBatch += 1 }

    /// Ends the oldest batch, which is applied.
    mutating func endOldestBatch() {
        oldestBatch += 1
        let oldest = oldestBatch
        if !suspensions.isEmpty {
            suspensions = suspensions.compactMapValues { list in
                let pending = list.filter { $0.batch >= oldest }
                return pending.isEmpty ? nil : pending
            }
        }
        if !popups.isEmpty { popups = popups.filter { $0.value.batch >= oldest } }
        if !showings.isEmpty { showings = showings.filter { $0.value.batch >= oldest } }
    }

    // MARK: - Commands

    /// Records an allowed suspension.
    mutating func recordSuspension(_ token: String, of pattern: String) {
        let suspension = Suspension(batch: gatheredBatch, pattern: pattern)
        let kept = suspensions[token] ?? []
        if let same = kept.firstIndex(where: { $0.pattern == pattern }) {
            suspensions[token]?[same] = suspension
        } else if kept.count < Self.patternsPerToken {
            suspensions[token, default: []].append(suspension)
        } else {
            suspensions[token] = [Suspension(batch: gatheredBatch, pattern: "*")]
        }
    }

    /// Returns the patterns that a token will suspend.
    func patterns(ofSuspension token: String) -> [String] { suspensions[token]?.map(\.pattern) ?? [] }

    /// Records an allowed popup.
    mutating func recordPopup(_ id: String, in group: String, by user: UserName?) {
        let place = Place(group: group, user: user)
        let isAlone = popups[id].map { $0.place == place } ?? true
        popups[id] = Popup(batch: gatheredBatch, place: isAlone ? place : nil)
    }

    /// Returns the group in which a user will show a popup; `nil` if it is not known, or may be another user's.
    func group(ofPopup id: String, by user: UserName?) -> String? {
        popups[id]?.place.flatMap { $0.user == user ? $0.group : nil }
    }

    /// Records an allowed popup with a collapse key.
    mutating func recordShowing(_ key: Key, by user: UserName?) {
        let isAlone = showings[key].map { $0.user == .some(user) } ?? true
        showings[key] = Showing(batch: gatheredBatch, user: isAlone ? .some(user) : nil)
    }

    /// Whether users other than this one will show popups with a collapse key.
    func isShown(_ key: Key, byOthersThan user: UserName?) -> Bool {
        showings[key].map { $0.user != .some(user) } ?? false
    }
}
