// What the broker reads to publish the state of a group. Texts are copied only into the caller's buffers.
extension Scheduler {
    /// The number of groups.
    public var groupCount: Int { groups.count }

    /// The exclusive upper bound of all group indices.
    public var groupCapacity: Int { groups.capacity }

    /// The number of live popups.
    public var popupCount: Int { popups.count }

    /// The number of waiting popups of all groups, delayed ones included.
    public var waitingCount: Int { groups.waitingCount }

    /// The number of paused popups of all groups.
    public var pausedCount: Int { groups.pausedCount }

    /// The times in ms from the arrival of popups to their first showing, since the scheduler exists.
    public var waitingTimes: Histogram { transaction.waitingTimes }

    /// Returns how many entries a table has that the limit bounds; `nil` for a limit of a single group, popup, flow,
    /// lease or tree.
    public func use(of limit: Limits.Name) -> (used: Int, most: Int)? {
        switch limit {
        case .groups: (groups.heldCount, limits.groups)
        case .popups: (popups.count, limits.popups)
        case .maxIDs: (popups.count + popups.closed.count, limits.maxIDs)
        case .accounts: (accounts.count, limits.accounts)
        case .contentBytes: (store.usedBytes, limits.contentBytes)
        case .suspensions: (policies.suspensions.count, limits.suspensions)
        case .policies: (policies.count, limits.policies)
        case .renderers: (renderers.count, limits.renderers)
        case .pageTrees: (pages.count, limits.pageTrees)
        case .cappedShowings: (groups.caps.showings, limits.cappedShowings)
        case .waitingPerGroup, .membersPerFlow, .renderersPerPopup, .groupsPerLease, .pagesPerTree, .pageDepth: nil
        }
    }

    /// The number of remembered ids of closed popups.
    public var rememberedCount: Int { popups.closed.count }

    /// Returns the time in ms for which closed popups are remembered: every popup that closed within this time before
    /// `time` is. It is `Limits.deduplicationWindow`, or less while there are more ids than `Limits.maxIDs`.
    public func rememberedWindow(at time: Milliseconds) -> Milliseconds {
        min(limits.deduplicationWindow, popups.closed.forgottenEarly.map { max(0, time - $0) } ?? .max)
    }

    /// The names and patterns that have a policy, in byte order.
    public var policyPatterns: [String] { policies.patterns.map { String(decoding: $0, as: UTF8.self) } }

    /// The number of timers, plus one if a command is not performed completely.
    public var timerCount: Int { timers.count + (hasWork ? 1 : 0) }

    /// The bytes that the names and contents of popups and groups take.
    public var storedBytes: Int { store.usedBytes }

    /// Returns the group with a name; `nil` if there is none. O(1).
    public func group(named name: RawSpan) -> GroupIndex? {
        name.withUnsafeBytes { findGroup($0).map { GroupIndex($0) } }
    }

    /// Returns the broadcast state of a group at `time`; `nil` if no group has this index. O(1).
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

    /// Returns the broadcast state of a group at `time`, with its name and the content of the popup that has the slot,
    /// which are not copied; `nil` if no group has this index. The result is valid until the next call that changes the
    /// scheduler. O(1).
    public func view(of group: GroupIndex, at time: Milliseconds) -> GroupView? {
        guard let index = index(of: group) else { return nil }
        let record = groups.address(of: index)
        return GroupView(
            state: state(of: index, at: time), name: store[record.pointee.name],
            content: record.pointee.active.map { content(of: $0) } ?? nothing)
    }

    /// Appends the name of a group. Appends nothing if no group has this index.
    public func appendName(of group: GroupIndex, to bytes: inout [UInt8]) {
        if let group = index(of: group) { bytes.append(contentsOf: store[groups[group].name]) }
    }

    /// Appends the content of the popup that has the slot of a group. Appends nothing if there is none.
    public func appendActiveContent(of group: GroupIndex, to bytes: inout [UInt8]) {
        if let active = index(of: group).flatMap({ groups[$0].active }) {
            bytes.append(contentsOf: content(of: active))
        }
    }

    /// Returns the content of a live popup, as the base of an updated content; `nil` if no live popup has this id.
    public func content(ofPopup id: RawSpan) -> [UInt8]? {
        id.withUnsafeBytes { id in (try? findLive(id).get()).map { Array(content(of: $0)) } }
    }

    /// Returns the group of the live or remembered popup with this id, and its content if it is live; `nil` if there is
    /// no such popup.
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

    /// Returns the content of the live popup that has a collapse key in a group; `nil` if there is none. It is valid
    /// until the next call that changes the scheduler.
    public func content(ofPopupWithKey key: RawSpan, in group: RawSpan) -> UnsafeRawBufferPointer? {
        key.withUnsafeBytes { key in
            group.withUnsafeBytes { findGroup($0) }.flatMap { keyHolder(in: $0, key) }.map { content(of: $0) }
        }
    }

    /// Whether the content of a live popup of a producer is as `isWanted` says. O(n) in the live popups.
    public func containsPopup(
        of producer: ProducerID, where isWanted: (_ content: UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        popups.indices.contains { self.producer(of: $0) == producer && isWanted(content(of: $0)) }
    }

    /// Returns the pattern of the suspension with this token; `nil` if there is none.
    public func pattern(ofSuspension token: RawSpan) -> String? {
        token.withUnsafeBytes {
            policies.suspensions.record(of: $0).map { String(decoding: $0.pattern, as: UTF8.self) }
        }
    }

    /// Returns at most `limit` groups whose name followed by `/` begins with `prefix`, in byte order.
    public mutating func groups(withPrefix prefix: RawSpan, limit: Int) -> [GroupIndex] {
        prefix.withUnsafeBytes { prefix in
            var found: [GroupIndex] = []
            // The prefix `lobby/` selects `lobby` itself and all groups below it.
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
