// What the shell reads to publish a group's state: nothing is copied but into its own buffers.
extension Scheduler {
    /// How many groups there are.
    public var groupCount: Int { groups.count }

    /// All group indices are below it.
    public var groupCapacity: Int { Int(groups.capacity) }

    /// How many popups are live.
    public var popupCount: Int { popups.count }

    /// How many ids of closed popups are remembered.
    public var rememberedCount: Int { closedPopups.count }

    /// In ms: every popup that closed within so long before `time` is remembered. It is `Limits.deduplicationWindow`,
    /// and less while there are more ids than `Limits.maxIDs`.
    public func rememberedWindow(at time: Milliseconds) -> Milliseconds {
        min(limits.deduplicationWindow, forgottenEarly.map { max(0, time - $0) } ?? .max)
    }

    /// How many timers are set.
    public var timerCount: Int { timers.count + (hasWork ? 1 : 0) }

    /// The bytes taken by the names and contents of popups and groups.
    public var storedBytes: Int { store.usedBytes }

    /// The group of this name, when there is one. O(1).
    public func group(named name: RawSpan) -> GroupIndex? {
        name.withUnsafeBytes { findGroup($0).map(GroupIndex.init(rawValue:)) }
    }

    /// The broadcast state of a group at `time`; `nil` when no group has this index. O(1).
    public func state(of group: GroupIndex, at time: Milliseconds) -> GroupSummary? {
        isInUse(group) ? state(of: group.rawValue, at: time) : nil
    }

    @inline(__always)
    private func state(of group: Int32, at time: Milliseconds) -> GroupSummary {
        let record = groups.address(of: group)
        var state = GroupSummary(
            revision: record.pointee.revision, waiting: Int(record.pointee.waiting),
            paused: Int(record.pointee.paused), active: nil)
        let active = record.pointee.active
        if active != nobody {
            let popup = popups.address(of: active)
            state.active = ActivePopup(
                remaining: remaining(of: active, at: time), attempt: popup.pointee.attempt,
                sinceRevision: popup.pointee.sinceRevision, priority: popup.pointee.priority,
                isOffered: popup.pointee.isOffered)
        }
        return state
    }

    /// The broadcast state of a group at `time`, with its name and its active popup's content where they are kept;
    /// `nil` when no group has this index. Good until the scheduler is told the next thing, or handles a timer. O(1).
    public func view(of group: GroupIndex, at time: Milliseconds) -> GroupView? {
        guard isInUse(group) else { return nil }
        let record = groups.address(of: group.rawValue)
        let active = record.pointee.active
        return GroupView(
            state: state(of: group.rawValue, at: time), name: store[record.pointee.name],
            content: active == nobody ? nothing : content(of: active))
    }

    /// Appends the name of a group that there is.
    public func appendName(of group: GroupIndex, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: store[groups[group.rawValue].name])
    }

    /// Appends the content of the group's active popup; nothing when there is none.
    public func appendActiveContent(of group: GroupIndex, to bytes: inout [UInt8]) {
        let active = groups[group.rawValue].active
        if active != nobody { bytes.append(contentsOf: content(of: active)) }
    }

    /// How many bytes `appendActiveContent` appends.
    public func activeContentCount(of group: GroupIndex) -> Int {
        let active = groups[group.rawValue].active
        return active == nobody ? 0 : content(of: active).count
    }

    /// The content of a live popup, for making the new one of an update; `nil` when no popup with this id is live.
    public func content(ofPopup id: RawSpan) -> [UInt8]? {
        id.withUnsafeBytes { id in (try? findLive(id).get()).map { Array(content(of: $0)) } }
    }

    /// The groups whose name followed by `/` begins with `prefix`, in byte order, at most `limit`.
    public mutating func groups(withPrefix prefix: RawSpan, limit: Int) -> [GroupIndex] {
        prefix.withUnsafeBytes { prefix in
            var found: [GroupIndex] = []
            // `lobby/` asks for `lobby` itself and for what is below it.
            if prefix.last == UInt8(ascii: "/"), let own = findGroup(prefix.first(prefix.count - 1)) {
                found.append(GroupIndex(rawValue: own))
            }
            found += orderedGroups(withPrefix: prefix, limit: limit).map(GroupIndex.init(rawValue:))
            return Array(found.prefix(limit))
        }
    }

    @inline(__always)
    private func isInUse(_ group: GroupIndex) -> Bool {
        group.rawValue >= 0 && group.rawValue < groups.capacity && groups[group.rawValue].isInUse
    }
}
