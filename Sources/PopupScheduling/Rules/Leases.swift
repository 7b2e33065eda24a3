// Leases: a renderer is live while it has a lease. When the lease ends, the popups that only this renderer displayed
// have lost their renderer, and the popups that only needed its dismissal close.

/// A renderer whose lease has ended.
struct LostRenderer {
    var client: RendererRecord.Index
    var name: [UInt8]
    /// The patterns of its lease; empty if no popup has dismissals.
    var patterns: [[UInt8]]
    var patternSet: PatternSet
    /// The next of its renderings to be handled.
    var rendering: Rendering.Index?
    /// The popups that only this renderer displayed.
    var lost: Set<PopupRecord.Index> = []

    /// Whether all its displays are removed.
    var hasNoDisplays: Bool { rendering == nil }
}

extension Scheduler {
    mutating func lease(_ lease: Lease, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let (name, patterns) = (text[lease.client], text[lease.patterns])
        guard name.count <= Limits.nameBytes else { return refuse(.tooLong, group: nothing, popup: nothing) }
        guard !patterns.isEmpty else {
            if let client = findClient(name) { end(leaseOf: client) }
            return nil
        }
        guard LeaseHolders.count(of: patterns) <= limits.groupsPerLease else {
            return refuse(.limit(.groupsPerLease), group: nothing, popup: nothing)
        }
        guard patterns.count <= Limits.largestContent else {
            return refuse(.tooLong, group: nothing, popup: nothing)
        }
        let former = findClient(name).map { store[renderers[$0].patterns] } ?? nothing
        let more = LeaseHolders.bytes(for: patterns) - LeaseHolders.bytes(for: former)
        let bytes = max(0, more) + (patterns.count > former.count ? ByteStore.blockBytes(for: patterns.count) : 0)
        let client: RendererRecord.Index
        switch findOrMakeClient(name, adding: bytes) {
        case .failure(let refusal): return refuse(refusal, group: nothing, popup: nothing)
        case .success(let found): client = found
        }
        let kept = store[renderers[client].patterns]
        if !kept.equals(patterns) {
            transaction.meter.count += LeaseHolders.visits(of: kept)
            renderers.endLease(of: client, for: kept)
            let used = store.usedBytes
            store.countBytes(more)
            store.release(renderers[client].patterns)
            renderers[client].patterns = store.store(patterns)
            charge(renderers[client].account, since: used)
        }
        // A renewal looks up nothing.
        if !renderers[client].hasLease { transaction.meter.count += LeaseHolders.visits(of: patterns) }
        renderers.beginLease(of: client, for: patterns)
        timers.cancel(renderers[client].lease)
        renderers[client].lease =
            lease.runsOut ? timers.set(.lease(client), due: now + Self.leaseDuration) : nil
        return nil
    }

    /// Calls `visit` with the name of each renderer that has a lease, and with the names and patterns of its groups,
    /// each followed by a line feed. The order is unspecified.
    public func forEachLease(_ visit: (_ client: RawSpan, _ patterns: RawSpan) -> Void) {
        for client in renderers.indices {
            let record = renderers[client]
            guard record.hasLease else { continue }
            visit(RawSpan(_unsafeBytes: store[record.name]), RawSpan(_unsafeBytes: store[record.patterns]))
        }
    }

    /// Returns the maximum number of names, patterns and groups that the end of a renderer's lease visits, in addition
    /// to the groups of the popups that the renderer displays.
    public func visits(ofLeaseEndOf name: RawSpan) -> Int {
        let groups = renderers.popupsWithDismissals > 0 ? groups.count : 0
        let client = name.withUnsafeBytes { findClient($0) }
        guard let client, renderers[client].hasLease else { return groups }
        return groups + LeaseHolders.visits(of: store[renderers[client].patterns])
    }

    mutating func leaseIsOver(of client: RendererRecord.Index) {
        renderers[client].lease = nil
        end(leaseOf: client)
    }

    private func patterns(of client: RendererRecord.Index) -> [UnsafeRawBufferPointer] {
        store[renderers[client].patterns].split(separator: lineFeed).map {
            UnsafeRawBufferPointer(rebasing: $0)
        }
    }

    private mutating func end(leaseOf client: RendererRecord.Index) {
        timers.cancel(renderers[client].lease)
        renderers[client].lease = nil
        let former = store[renderers[client].patterns]
        renderers.endLease(of: client, for: former)
        transaction.meter.count += LeaseHolders.visits(of: former)
        // Copies, since the renderer is removed with the last popup of which it has a rendering.
        let name = [UInt8](store[renderers[client].name])
        let patterns = renderers.popupsWithDismissals > 0 ? patterns(of: client).map { Array($0) } : []
        let renderer = LostRenderer(
            client: client, name: name, patterns: patterns, patternSet: PatternSet(patterns),
            rendering: renderers[client].renderings.first)
        perform(.lostRenderer(renderer), in: renderer.hasNoDisplays ? groups(of: renderer) : [])
    }

    /// Returns the groups of the renderer's patterns and of the popups that only it displayed, in byte order of their
    /// names; all groups if there are too many.
    mutating func groups(of renderer: LostRenderer) -> [GroupRecord.Index] {
        guard renderer.lost.count <= Self.maxWorkPerStep else { return orderedGroups() }
        var found = renderer.lost.map { popups[$0].group }
        for pattern in renderer.patterns {
            if case .all = pattern.withUnsafeBytes({ Pattern($0) }) { return orderedGroups() }
            found += pattern.withUnsafeBytes { groups(matching: $0) }
            // Patterns may overlap.
            if found.count > groups.count { return orderedGroups() }
        }
        return groups.inOrder(found, store)
    }

    /// Applies the loss of a renderer in one group.
    mutating func rendererIsLost(_ renderer: LostRenderer, in group: GroupRecord.Index) {
        if let active = groups[group].active, renderer.lost.contains(active) {
            renderer.name.withUnsafeBytes { loseRenderer(of: active, $0) }
        }
        if renderer.patternSet.matches(store[groups[group].name]) { closePopupsWithQuorum(in: group) }
    }

    /// Removes the displays of a lost renderer, a bounded number of them, and collects the popups that no renderer
    /// displays any more.
    ///
    /// - Returns: The number of renderings handled.
    mutating func removeDisplays(_ renderer: inout LostRenderer) -> Int {
        var done = 0
        var next = renderer.rendering
        while let rendering = next, done < Self.maxWorkPerStep {
            done += 1
            next = renderers.nextRendering(after: rendering)
            let record = renderers[rendering]
            guard let index = popups[record.popup].relations else { continue }
            if record.isVisible { hide(record.popup, rendering) }
            if record.hasDisplayed {
                renderers.setDisplayed(false, rendering, on: &popups.relations[index])
                if popups.relations[index].displays == 0 { renderer.lost.insert(record.popup) }
            }
            if !record.hasDismissed { renderers.removeRendering(rendering, of: &popups.relations[index]) }
        }
        renderer.rendering = next
        transaction.meter.count += done
        return done
    }

    private mutating func loseRenderer(of popup: PopupRecord.Index, _ client: UnsafeRawBufferPointer) {
        let policy = groups[popups[popup].group].policy
        switch policies[policy].rendererLost {
        case .hold: break
        case .requeue: sendBack(popup, .rendererLost, toEnd: false, detail: client)
        case .close: leave(popup, .rendererLost, detail: client)
        }
    }
}

private let lineFeed = UInt8(ascii: "\n")
