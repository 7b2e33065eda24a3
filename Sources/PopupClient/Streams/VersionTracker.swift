import PopupProtocol

/// The version of a state: (epoch, revision). A later one replaces an earlier one.
struct StateVersion: Comparable {
    var epoch: UInt64
    var revision: UInt64

    static func < (left: StateVersion, right: StateVersion) -> Bool {
        (left.epoch, left.revision) < (right.epoch, right.revision)
    }
}

extension WireGroupState {
    var version: StateVersion { StateVersion(epoch: epoch, revision: revision) }
}

/// The states that a subscriber accepts: those with a greater (epoch, revision) than the last one of their group.
struct VersionTracker {
    private struct Seen {
        var version: StateVersion
        var isShown: Bool
        /// The number of accepted states of all groups at that time.
        var order: UInt64
        /// Whether the state is presumed, because an answer of the broker did not mention the group.
        var isPresumed = false
        /// Whether the loop has not received it, because the group was empty when it was first seen.
        var isSilent = false
    }

    /// The maximum number of remembered groups that were empty when first seen. They are remembered so that they are
    /// not requested repeatedly.
    static let maxSilent = 10_000

    private var last: [String: Seen] = [:]
    /// The number of states accepted so far.
    private(set) var order: UInt64 = 0

    private var silent = 0

    /// The number of groups seen, except for those that were empty when first seen.
    var groups: Int { last.count - silent }

    /// Records a state and returns true if it is newer than the last one of its group.
    mutating func accept(_ state: WireGroupState) -> Bool {
        if let seen = last[state.group] {
            guard state.version >= seen.version else { return false }
            // A repetition may correct a presumed state.
            if state.version == seen.version, !seen.isPresumed || !state.hasActive { return false }
        }
        order += 1
        remember(Seen(version: state.version, isShown: state.hasActive, order: order), of: state.group)
        return true
    }

    /// Records the state of an empty group that has not been seen, which the loop need not receive.
    ///
    /// - Returns: False if it is another state.
    mutating func acceptSilently(_ state: WireGroupState) -> Bool {
        guard !state.hasActive, state.waiting == 0, state.paused == 0, last[state.group]?.isSilent ?? true else {
            return false
        }
        guard silent < Self.maxSilent, last[state.group].map({ $0.version < state.version }) ?? true else {
            return true
        }
        order += 1
        remember(Seen(version: state.version, isShown: false, order: order, isSilent: true), of: state.group)
        return true
    }

    private mutating func remember(_ seen: Seen, of group: String) {
        let before = last.updateValue(seen, forKey: group)
        silent += (seen.isSilent ? 1 : 0) - (before?.isSilent == true ? 1 : 0)
    }

    /// Whether the broker has a newer version of a group than the last one seen.
    func isBehind(_ group: String, _ version: StateVersion) -> Bool {
        last[group].map { $0.version < version } ?? true
    }

    /// Returns the groups that show a popup in the states up to a value of `order`.
    func shown(upTo order: UInt64) -> [String] {
        last.filter { $0.value.isShown && $0.value.order <= order }.keys.sorted()
    }

    /// Whether no state of a group was accepted after this value of `order`, and none of a later epoch.
    func isPresumable(_ group: String, upTo order: UInt64, _ version: StateVersion) -> Bool {
        last[group].map { $0.order <= order && $0.version.epoch <= version.epoch } ?? true
    }

    /// Records that a group shows nothing as of this version, because an answer of the broker did not mention it.
    ///
    /// - Returns: The empty state, as the broker would have sent it, if the group showed a popup.
    mutating func presumeEmpty(_ group: String, at version: StateVersion) -> WireGroupState? {
        let seen = last[group]
        let version = max(version, seen?.version ?? version)
        order += 1
        remember(
            Seen(
                version: version, isShown: false, order: order, isPresumed: true, isSilent: seen?.isSilent ?? true),
            of: group)
        guard seen?.isShown == true else { return nil }
        var state = WireGroupState()
        state.group = group
        state.epoch = version.epoch
        state.revision = version.revision
        return state
    }
}
