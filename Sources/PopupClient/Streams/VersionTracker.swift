import PopupProtocol

/// Where a group's state stands: a later one replaces an earlier one.
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

/// The rule by which a subscriber accepts states: (epoch, revision) has to be greater than the last seen of the group.
struct VersionTracker {
    private struct Seen {
        var version: StateVersion
        var isShown: Bool
        /// Counts what was accepted, of all groups.
        var order: UInt64
        /// Nobody said it: the broker's answer did not mention the group.
        var isPresumed = false
        /// It has been shown to nobody: the group was empty when it was met.
        var isSilent = false
    }

    /// Groups that were empty when they were met, remembered so that they are not asked for again and again.
    static let mostSilent = 10_000

    private var last: [String: Seen] = [:]
    /// What has been accepted so far.
    private(set) var order: UInt64 = 0

    private var silent = 0

    /// How many groups have been seen, but for those that were empty when they were met.
    var groups: Int { last.count - silent }

    /// Whether this state is news; then it is remembered. A repetition and a late one are none.
    mutating func accept(_ state: WireGroupState) -> Bool {
        if let seen = last[state.group] {
            guard state.version >= seen.version else { return false }
            // What was only presumed may be put right by a repetition.
            if state.version == seen.version, !seen.isPresumed || !state.hasActive { return false }
        }
        order += 1
        remember(Seen(version: state.version, isShown: state.hasActive, order: order), of: state.group)
        return true
    }

    /// Takes a state for known that nobody needs to be told of: of a group that is empty and has not been seen.
    ///
    /// - Returns: false when it is none of those.
    mutating func acceptSilently(_ state: WireGroupState) -> Bool {
        guard !state.hasActive, state.waiting == 0, state.paused == 0, last[state.group]?.isSilent ?? true else {
            return false
        }
        guard silent < Self.mostSilent, last[state.group].map({ $0.version < state.version }) ?? true else {
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

    /// Whether the broker has got further with a group than what has been seen of it.
    func isBehind(_ group: String, _ version: StateVersion) -> Bool {
        last[group].map { $0.version < version } ?? true
    }

    /// The groups that show something, as far as was seen up to a point of `order`.
    func shown(upTo order: UInt64) -> [String] {
        last.filter { $0.value.isShown && $0.value.order <= order }.keys.sorted()
    }

    /// Whether nothing has been seen of a group after this point of `order`, nor of a later epoch.
    func isPresumable(_ group: String, upTo order: UInt64, _ version: StateVersion) -> Bool {
        last[group].map { $0.order <= order && $0.version.epoch <= version.epoch } ?? true
    }

    /// The broker's answer did not mention the group: it shows nothing, as of this version.
    ///
    /// - Returns: the state as the broker would have sent it, if something was shown.
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
