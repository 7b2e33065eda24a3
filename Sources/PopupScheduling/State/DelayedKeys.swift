/// The delayed popups by group and collapse key: the first by acceptance of each key in a hash table, and all popups of
/// a key in a ring, in order of acceptance.
///
///     table: key "a" ─▶ 3 ─▶ 8 ─▶ 9 ─▶ back to 3
///            key "b" ─▶ 5 ─▶ back to 5
///
/// A popup becomes delayed only when it is accepted, so it is always the last of its ring. Finding the first popup of a
/// key, adding a popup and removing one take O(1), however many popups are delayed.
struct DelayedKeys: ~Copyable {
    private var firsts = NameTable<PopupRecord.Index>()
    /// The number of popups in all rings.
    private(set) var count = 0

    init() {}

    /// Returns the first popup of a key with this hash, except `besides`.
    func first(
        _ hash: UInt32, besides: PopupRecord.Index?, in popups: borrowing Slab<PopupRecord>,
        matches: (PopupRecord.Index) -> Bool
    ) -> PopupRecord.Index? {
        guard count > 0, let first = firsts.find(hash, matches: matches) else { return nil }
        guard first == besides else { return first }
        let next = popups[first].ring.next
        return next == first ? nil : next
    }

    /// Adds a delayed popup, which was accepted after all others of its key. `first` is the first of these.
    mutating func append(
        _ popup: PopupRecord.Index, toRingOf first: PopupRecord.Index?, hash: UInt32,
        in popups: inout Slab<PopupRecord>
    ) {
        count += 1
        guard let first else {
            link(popup, to: popup, in: &popups)
            return firsts.insert(popup, hash: hash)
        }
        link(popups[first].ring.previous ?? first, to: popup, in: &popups)
        link(popup, to: first, in: &popups)
    }

    /// Removes a popup, which must be in a ring.
    mutating func remove(_ popup: PopupRecord.Index, hash: UInt32, from popups: inout Slab<PopupRecord>) {
        guard let previous = popups[popup].ring.previous, let next = popups[popup].ring.next else {
            return assertionFailure("a delayed popup that is in no ring")
        }
        count -= 1
        let isFirst = firsts.find(hash) { $0 == popup } != nil
        if next == popup { return firsts.remove(popup, hash: hash) }
        link(previous, to: next, in: &popups)
        if isFirst { firsts.replace(popup, with: next, hash: hash) }
    }

    private func link(
        _ popup: PopupRecord.Index, to next: PopupRecord.Index, in popups: inout Slab<PopupRecord>
    ) {
        popups[popup].ring.next = next
        popups[next].ring.previous = popup
    }

    /// Returns a sentence for every broken invariant, for the delayed popups with a key and the hashes of their keys.
    func brokenInvariants(
        of delayed: [(popup: PopupRecord.Index, hash: UInt32)], in popups: borrowing Slab<PopupRecord>,
        isSameKey: (PopupRecord.Index, PopupRecord.Index) -> Bool
    ) -> [String] {
        var broken: [String] = []
        var rings = 0
        if delayed.count != count { broken.append("\(count) delayed popups have a key, not \(delayed.count)") }
        for (popup, hash) in delayed {
            guard let first = firsts.find(hash, matches: { isSameKey($0, popup) }) else {
                broken.append("a delayed popup is not found by its key")
                continue
            }
            if first == popup { rings += 1 }
            guard let next = popups[popup].ring.next, popups[next].ring.previous == popup else {
                broken.append("a delayed popup is in no ring")
                continue
            }
            if !isSameKey(popup, next) { broken.append("a ring of delayed popups has two keys") }
            if next != first, popups[next].acceptance <= popups[popup].acceptance {
                broken.append("a ring of delayed popups is out of order")
            }
        }
        if firsts.count != rings { broken.append("\(firsts.count) keys of delayed popups are listed, not \(rings)") }
        return broken
    }
}
