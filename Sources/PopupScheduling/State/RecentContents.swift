/// The beginnings of the contents of the popups that closed last, for people who ask what it was that they saw.
///
/// They are a ring in memory and belong to no snapshot: no rule reads them. The scheduler does not know what a content
/// means, so the caller says how a long one is shortened.
struct RecentContents: ~Copyable {
    /// The maximum number of contents.
    static let maxCount = 1000
    /// The maximum number of bytes that are kept of each.
    static let maxBytes = 512

    /// The record before the bytes of a content.
    private struct Head: BitwiseCopyable {
        var popup: ClosedPopups.Index
        var count: Int32
        var closedAt: Milliseconds
    }

    private static let slotBytes = MemoryLayout<Head>.stride + maxBytes

    /// The slots, each a head and `maxBytes`. They are allocated when the first popup closes.
    private var slots: UnsafeMutableRawPointer?
    private var next = 0
    /// Whether every slot has a content.
    private var isFull = false
    /// Shortens a content of more than `maxBytes`.
    var shortener: Scheduler.ContentShortener?

    init() {}

    deinit {
        slots?.deallocate()
    }

    /// Keeps the content of a popup that closes, in place of the one that has been kept for the longest time.
    @inline(__always)
    mutating func keep(_ content: UnsafeRawBufferPointer, of popup: ClosedPopups.Index, closedAt time: Milliseconds) {
        guard content.count <= Self.maxBytes else { return keepShortened(content, of: popup, closedAt: time) }
        put(content, of: popup, closedAt: time)
    }

    @inline(never)
    private mutating func keepShortened(
        _ content: UnsafeRawBufferPointer, of popup: ClosedPopups.Index, closedAt time: Milliseconds
    ) {
        guard let shortener else { return put(content, of: popup, closedAt: time) }
        shortener(RawSpan(_unsafeBytes: content)).withUnsafeBytes { put($0, of: popup, closedAt: time) }
    }

    /// Keeps the content, of at most `maxBytes`.
    @inline(__always)
    private mutating func put(
        _ content: UnsafeRawBufferPointer, of popup: ClosedPopups.Index, closedAt time: Milliseconds
    ) {
        let slot = (slots ?? allocate()) + next &* Self.slotBytes
        let count = min(content.count, Self.maxBytes)
        slot.storeBytes(of: Head(popup: popup, count: Int32(truncatingIfNeeded: count), closedAt: time), as: Head.self)
        if let source = content.baseAddress {
            (slot + MemoryLayout<Head>.stride).copyMemory(from: source, byteCount: count)
        }
        next &+= 1
        if next == Self.maxCount { (next, isFull) = (0, true) }
    }

    @inline(never)
    private mutating func allocate() -> UnsafeMutableRawPointer {
        let new = UnsafeMutableRawPointer.allocate(byteCount: Self.maxCount * Self.slotBytes, alignment: 16)
        slots = new
        return new
    }

    /// Returns the contents that are kept, by the popups to which they belong. If an index was used again, the popup that
    /// closed later counts.
    func byPopup() -> [ClosedPopups.Index: (closedAt: Milliseconds, content: [UInt8])] {
        var contents: [ClosedPopups.Index: (closedAt: Milliseconds, content: [UInt8])] = [:]
        guard let slots else { return contents }
        for index in 0..<(isFull ? Self.maxCount : next) {
            let slot = slots + index * Self.slotBytes
            let head = slot.load(as: Head.self)
            if let other = contents[head.popup], other.closedAt > head.closedAt { continue }
            let bytes = UnsafeRawBufferPointer(start: slot + MemoryLayout<Head>.stride, count: Int(head.count))
            contents[head.popup] = (head.closedAt, [UInt8](bytes))
        }
        return contents
    }
}
