/// The beginnings of the contents of the popups that closed last, for people who ask what it was that they saw.
///
/// A busy group would soon replace the contents of all others. Therefore, each group keeps a few of the contents that
/// are not among the last ones any more.
///
/// They are in memory and belong to no snapshot: no rule reads them. The scheduler does not know what a content means,
/// so the caller says how a long one is shortened.
struct RecentContents: ~Copyable {
    /// The maximum number of contents of the popups that closed last, of all groups.
    static let maxCount = 1000
    /// The maximum number of older contents of a group.
    static let maxOlderPerGroup = 4
    /// The number of groups with places of their own for older contents. Of more groups, those whose numbers have the
    /// same remainder share the places.
    static let groupsWithOlder = 256
    /// The maximum number of all contents.
    static var maxTotal: Int { maxCount + groupsWithOlder * maxOlderPerGroup }
    /// The maximum number of bytes that are kept of each.
    static let maxBytes = 512

    /// The record before the bytes of a content.
    private struct Head: BitwiseCopyable {
        var popup: ClosedPopups.Index
        var count: Int32
        var closedAt: Milliseconds
    }

    /// The number of a slot, or none: two bytes.
    private struct Slot: BitwiseCopyable {
        private let bits: UInt16

        @inline(__always)
        init(_ number: Int?) { bits = number.map { UInt16(truncatingIfNeeded: $0) } ?? .max }

        @inline(__always)
        var number: Int? { bits == .max ? nil : Int(bits) }
    }

    private static let slotBytes = MemoryLayout<Head>.stride + maxBytes

    /// The slots, each a head and `maxBytes`. They are allocated when the first popup closes.
    private var slots: UnsafeMutableRawPointer?
    /// The number of slots with a content: the first ones.
    private var usedSlots = 0
    /// The group of the content in each slot, as the remainder of its number.
    private var groups = Buffer<UInt8>(repeating: 0, count: maxTotal)
    /// The slots of the popups that closed last: a ring.
    private var recent = Buffer(repeating: Slot(nil), count: maxCount)
    private var nextRecent = 0
    /// The slots of older contents: of each group a ring.
    private var older = Buffer(repeating: Slot(nil), count: groupsWithOlder * maxOlderPerGroup)
    private var nextOlder = Buffer<UInt8>(repeating: 0, count: groupsWithOlder)
    /// Shortens a content of more than `maxBytes`.
    var shortener: Scheduler.ContentShortener?

    init() {}

    deinit {
        slots?.deallocate()
    }

    /// Keeps the content of a popup that closes. If there are as many of the last ones as may be, the oldest of them
    /// becomes an older one of its group, in place of the oldest of these.
    @inline(__always)
    mutating func keep(
        _ content: UnsafeRawBufferPointer, of popup: ClosedPopups.Index, in group: GroupRecord.Index,
        closedAt time: Milliseconds
    ) {
        guard content.count <= Self.maxBytes else {
            return keepShortened(content, of: popup, in: group, closedAt: time)
        }
        put(content, of: popup, in: group, closedAt: time)
    }

    @inline(never)
    private mutating func keepShortened(
        _ content: UnsafeRawBufferPointer, of popup: ClosedPopups.Index, in group: GroupRecord.Index,
        closedAt time: Milliseconds
    ) {
        guard let shortener else { return put(content, of: popup, in: group, closedAt: time) }
        shortener(RawSpan(_unsafeBytes: content)).withUnsafeBytes { put($0, of: popup, in: group, closedAt: time) }
    }

    /// Keeps the content, of at most `maxBytes`.
    @inline(__always)
    private mutating func put(
        _ content: UnsafeRawBufferPointer, of popup: ClosedPopups.Index, in group: GroupRecord.Index,
        closedAt time: Milliseconds
    ) {
        let slots = slots ?? allocate()
        let number = takeSlot()
        groups[number] = UInt8(truncatingIfNeeded: group.number % Self.groupsWithOlder)
        let slot = slots + number &* Self.slotBytes
        let count = min(content.count, Self.maxBytes)
        slot.storeBytes(of: Head(popup: popup, count: Int32(truncatingIfNeeded: count), closedAt: time), as: Head.self)
        if let source = content.baseAddress {
            (slot + MemoryLayout<Head>.stride).copyMemory(from: source, byteCount: count)
        }
    }

    /// Returns the number of the slot for the content of the popup that closes.
    @inline(__always)
    private mutating func takeSlot() -> Int {
        let slot: Int
        if let last = recent[nextRecent].number, let replaced = keepAsOlder(last) {
            slot = replaced
        } else {
            slot = usedSlots
            usedSlots &+= 1
        }
        recent[nextRecent] = Slot(slot)
        nextRecent &+= 1
        if nextRecent == Self.maxCount { nextRecent = 0 }
        return slot
    }

    /// Makes the content of a slot an older one of its group. Returns the slot of the content that it replaces; `nil`
    /// if there was a place for it.
    @inline(__always)
    private mutating func keepAsOlder(_ slot: Int) -> Int? {
        let group = Int(groups[slot])
        let place = group &* Self.maxOlderPerGroup &+ Int(nextOlder[group])
        nextOlder[group] = (nextOlder[group] &+ 1) % UInt8(Self.maxOlderPerGroup)
        let replaced = older[place].number
        older[place] = Slot(slot)
        return replaced
    }

    @inline(never)
    private mutating func allocate() -> UnsafeMutableRawPointer {
        let new = UnsafeMutableRawPointer.allocate(byteCount: Self.maxTotal * Self.slotBytes, alignment: 16)
        slots = new
        return new
    }

    /// Returns the contents that are kept, by the popups to which they belong. If an index was used again, the popup
    /// that closed later counts.
    func byPopup() -> [ClosedPopups.Index: (closedAt: Milliseconds, content: [UInt8])] {
        var contents: [ClosedPopups.Index: (closedAt: Milliseconds, content: [UInt8])] = [:]
        guard let slots else { return contents }
        let all =
            (0..<older.count).map { older[$0] } + (0..<recent.count).map { recent[(nextRecent + $0) % recent.count] }
        for number in all.lazy.compactMap(\.number) {
            let slot = slots + number * Self.slotBytes
            let head = slot.load(as: Head.self)
            if let other = contents[head.popup], other.closedAt > head.closedAt { continue }
            let bytes = UnsafeRawBufferPointer(start: slot + MemoryLayout<Head>.stride, count: Int(head.count))
            contents[head.popup] = (head.closedAt, [UInt8](bytes))
        }
        return contents
    }
}
