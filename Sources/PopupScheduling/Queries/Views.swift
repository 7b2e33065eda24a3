// What the shell reads to publish a group's state: nothing is copied but into its own buffers.
extension Scheduler {
    /// How many groups there are.
    public var groupCount: Int { groups.count }

    /// All group indices are below it.
    public var groupCapacity: Int { groups.capacity }

    /// How many popups are live.
    public var popupCount: Int { popups.count }

    /// How many ids of closed popups are remembered.
    public var rememberedCount: Int { popups.closed.count }

    /// In ms: every popup that closed within so long before `time` is remembered. It is `Limits.deduplicationWindow`,
    /// and less while there are more ids than `Limits.maxIDs`.
    public func rememberedWindow(at time: Milliseconds) -> Milliseconds {
        min(limits.deduplicationWindow, popups.closed.forgottenEarly.map { max(0, time - $0) } ?? .max)
    }

    /// The names and patterns that have a policy, in byte order.
    public var policyPatterns: [String] { policies.patterns.map { String(decoding: $0, as: UTF8.self) } }

    /// How many timers are set.
    public var timerCount: Int { timers.count + (hasWork ? 1 : 0) }

    /// The bytes taken by the names and contents of popups and groups.
    public var storedBytes: Int { store.usedBytes }

    /// The group of this name, when there is one. O(1).
    public func group(named name: RawSpan) -> GroupIndex? {
        name.withUnsafeBytes { findGroup($0).map { GroupIndex($0) } }
    }

    /// The broadcast state of a group at `time`; `nil` when no group has this index. O(1).
    public func state(of group: GroupIndex, at time: Milliseconds) -> GroupSummary? {
        index(of: group).map { state(of: $0, at: time) }
    }

    @inline(__always)
    private func state(of group: GroupRecord.Index, at time: Milliseconds) -> GroupSummary {
        let record = groups.address(of: group)
        var state = GroupSummary(
            revision: record.pointee.revision, waiting: Int(record.pointee.waiting),
            paused: Int(record.pointee.paused), active: nil)
        if let active = record.pointee.active {
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
        guard let index = index(of: group) else { return nil }
        let record = groups.address(of: index)
        return GroupView(
            state: state(of: index, at: time), name: store[record.pointee.name],
            content: record.pointee.active.map { content(of: $0) } ?? nothing)
    }

    /// Appends the name of a group that there is.
    public func appendName(of group: GroupIndex, to bytes: inout [UInt8]) {
        if let group = index(of: group) { bytes.append(contentsOf: store[groups[group].name]) }
    }

    /// Appends the content of the group's active popup; nothing when there is none.
    public func appendActiveContent(of group: GroupIndex, to bytes: inout [UInt8]) {
        if let active = index(of: group).flatMap({ groups[$0].active }) {
            bytes.append(contentsOf: content(of: active))
        }
    }

    /// How many bytes `appendActiveContent` appends.
    public func activeContentCount(of group: GroupIndex) -> Int {
        index(of: group).flatMap { groups[$0].active }.map { content(of: $0).count } ?? 0
    }

    /// The content of a live popup, for making the new one of an update; `nil` when no popup with this id is live.
    public func content(ofPopup id: RawSpan) -> [UInt8]? {
        id.withUnsafeBytes { id in (try? findLive(id).get()).map { Array(content(of: $0)) } }
    }

    /// The group of the popup with this id, live or remembered, and the content of a live one; `nil` when there is none.
    public func whereabouts(ofPopup id: RawSpan) -> PopupWhereabouts? {
        id.withUnsafeBytes { id in
            switch findID(id) {
            case nil: nil
            case .live(let popup):
                PopupWhereabouts(
                    group: string(store[groups[popups[popup].group].name]), isShown: popups[popup].isActive,
                    content: content(of: popup), expiry: popups[popup].expiry.map { timers.due($0) })
            case .closed(let record):
                PopupWhereabouts(
                    group: string(store[groups[popups.closed[record].group].name]), isShown: false, content: nothing,
                    expiry: nil)
            }
        }
    }

    /// The pattern of the suspension with this token; `nil` when there is none.
    public func pattern(ofSuspension token: RawSpan) -> String? {
        token.withUnsafeBytes {
            policies.suspensions.record(of: $0).map { String(decoding: $0.pattern, as: UTF8.self) }
        }
    }

    /// The groups whose name followed by `/` begins with `prefix`, in byte order, at most `limit`.
    public mutating func groups(withPrefix prefix: RawSpan, limit: Int) -> [GroupIndex] {
        prefix.withUnsafeBytes { prefix in
            var found: [GroupIndex] = []
            // `lobby/` asks for `lobby` itself and for what is below it.
            if prefix.last == UInt8(ascii: "/"), let own = findGroup(prefix.first(prefix.count - 1)) {
                found.append(GroupIndex(own))
            }
            found += orderedGroups(withPrefix: prefix, limit: limit).map { GroupIndex($0) }
            return Array(found.prefix(limit))
        }
    }

    @inline(__always)
    private func index(of group: GroupIndex) -> GroupRecord.Index? {
        groups.index(at: group.number)
    }
}
