// Leases: a renderer lives for as long as it says so. When it is gone, what only it displayed is lost, and what waited
// for its dismissal alone closes.

/// A renderer whose lease has ended.
struct LostRenderer {
    var client: RendererRecord.Index
    var name: [UInt8]
    /// Of its groups, while popups wait for dismissals.
    var patterns: [[UInt8]]
    var patternSet: PatternSet
    /// The next of its notes that is to be looked at.
    var note: Note.Index?
    /// Those that it displayed alone.
    var lost: Set<PopupRecord.Index> = []

    /// It is taken off all that it displayed.
    var isOffScreen: Bool { note == nil }
}

extension Scheduler {
    mutating func lease(_ lease: Lease, _ text: UnsafeRawBufferPointer) -> Refusal? {
        let (name, patterns) = (text[lease.client], text[lease.patterns])
        guard name.count <= Limits.nameBytes else { return refuse(.tooLong, group: nothing, popup: nothing) }
        guard !patterns.isEmpty else {
            if let client = findClient(name) { end(leaseOf: client) }
            return nil
        }
        guard patterns.count(where: { $0 == lineFeed }) <= limits.groupsPerLease else {
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
        if !store[renderers[client].patterns].equals(patterns) {
            renderers.endLease(of: client, for: store[renderers[client].patterns])
            let used = store.usedBytes
            store.countBytes(more)
            store.release(renderers[client].patterns)
            renderers[client].patterns = store.store(patterns)
            charge(renderers[client].account, since: used)
        }
        renderers.beginLease(of: client, for: patterns)
        timers.cancel(renderers[client].lease)
        renderers[client].lease =
            lease.runsOut ? timers.set(.lease(client), due: now + Self.leaseDuration) : nil
        return nil
    }

    /// Calls `visit` with the name of each renderer that has a lease, and the names and patterns of its groups, each
    /// followed by a line feed. In no order that means anything.
    public func forEachLease(_ visit: (_ client: RawSpan, _ patterns: RawSpan) -> Void) {
        for client in renderers.indices {
            let record = renderers[client]
            guard record.hasLease else { continue }
            visit(RawSpan(_unsafeBytes: store[record.name]), RawSpan(_unsafeBytes: store[record.patterns]))
        }
    }

    /// How many groups the end of a lease goes through at most, beside what the renderer displays.
    public var visitsOfLeaseEnd: Int { renderers.popupsWithDismissals > 0 ? groups.count : 0 }

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
        renderers.endLease(of: client, for: store[renderers[client].patterns])
        // Kept beside the table: with the last popup that remembers it the renderer is forgotten.
        let name = [UInt8](store[renderers[client].name])
        let patterns = renderers.popupsWithDismissals > 0 ? patterns(of: client).map { Array($0) } : []
        let renderer = LostRenderer(
            client: client, name: name, patterns: patterns, patternSet: PatternSet(patterns),
            note: renderers[client].notes.first)
        perform(.lostRenderer(renderer), in: renderer.isOffScreen ? groups(of: renderer) : [])
    }

    /// The groups of its patterns and of the popups that it displayed alone, in byte order of their names; of many all
    /// groups are looked through.
    mutating func groups(of renderer: LostRenderer) -> [GroupRecord.Index] {
        guard renderer.lost.count <= Self.mostOfWorkAtOnce else { return orderedGroups() }
        var found = renderer.lost.map { popups[$0].group }
        for pattern in renderer.patterns {
            if case .all = pattern.withUnsafeBytes({ Pattern($0) }) { return orderedGroups() }
            found += pattern.withUnsafeBytes { groups(matching: $0) }
            // They overlap.
            if found.count > groups.count { return orderedGroups() }
        }
        return groups.inOrder(found, store)
    }

    /// What comes in one group of a renderer that is gone.
    mutating func rendererIsLost(_ renderer: LostRenderer, in group: GroupRecord.Index) {
        if let active = groups[group].active, renderer.lost.contains(active) {
            renderer.name.withUnsafeBytes { loseRenderer(of: active, $0) }
        }
        if renderer.patternSet.matches(store[groups[group].name]) { closeWithoutMissing(in: group) }
    }

    /// Takes back that a renderer displays popups, a bounded number of them, and notes those that nobody displays any
    /// more.
    ///
    /// - Returns: How many it went through.
    mutating func takeOffScreen(_ renderer: inout LostRenderer) -> Int {
        var done = 0
        var next = renderer.note
        while let note = next, done < Self.mostOfWorkAtOnce {
            done += 1
            next = renderers.nextNote(ofRendererAfter: note)
            let record = renderers[note]
            guard let place = popups[record.popup].relations else { continue }
            if record.isVisible { hide(record.popup, note) }
            if record.hasDisplayed {
                renderers.setDisplayed(false, note, on: &popups.relations[place])
                if popups.relations[place].displays == 0 { renderer.lost.insert(record.popup) }
            }
            if !record.hasDismissed { renderers.removeNote(note, on: &popups.relations[place]) }
        }
        renderer.note = next
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
