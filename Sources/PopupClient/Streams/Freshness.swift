import PopupProtocol

/// The rule by which a subscriber accepts states: (epoch, revision) has to be greater than the last seen of the group.
struct Freshness {
    private struct Version: Comparable {
        var epoch: UInt64
        var revision: UInt64

        static func < (left: Version, right: Version) -> Bool {
            (left.epoch, left.revision) < (right.epoch, right.revision)
        }
    }

    private var last: [String: Version] = [:]

    /// How many groups have been seen.
    var groups: Int { last.count }

    /// Whether this state is news; then it is remembered. A repetition and a late one are none.
    mutating func accept(_ state: WireGroupState) -> Bool {
        let version = Version(epoch: state.epoch, revision: state.revision)
        if let seen = last[state.group], version <= seen { return false }
        last[state.group] = version
        return true
    }
}
