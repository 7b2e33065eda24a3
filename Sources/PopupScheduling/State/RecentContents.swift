/// The beginnings of the contents of the popups that closed last, for people who ask what it was that they saw.
///
/// They are a ring in memory and belong to no snapshot: no rule reads them.
struct RecentContents: ~Copyable {
    /// The maximum number of contents.
    static let maxCount = 1000
    /// The maximum number of bytes that are kept of each.
    static let maxBytes = 512

    private struct Slot: BitwiseCopyable {
        var popup: ClosedPopups.Index
        var closedAt: Milliseconds
        var count: Int
    }

    private var slots = Buffer<Slot>(minimumCapacity: 1)
    /// The bytes of each slot, `maxBytes` apart. They are allocated when the first popup closes.
    private var bytes: UnsafeMutableRawPointer?
    private var next = 0

    init() {}

    deinit {
        bytes?.deallocate()
    }

    /// Keeps the content of a popup that closes, in place of the one that has been kept for the longest time.
    mutating func keep(_ content: UnsafeRawBufferPointer, of popup: ClosedPopups.Index, closedAt time: Milliseconds) {
        let slot = Slot(popup: popup, closedAt: time, count: min(content.count, Self.maxBytes))
        if slots.count < Self.maxCount { slots.append(slot) } else { slots[next] = slot }
        if let source = content.baseAddress {
            address(of: next).copyMemory(from: source, byteCount: slot.count)
        }
        next = next + 1 == Self.maxCount ? 0 : next + 1
    }

    @inline(__always)
    private mutating func address(of slot: Int) -> UnsafeMutableRawPointer {
        if let bytes { return bytes + slot * Self.maxBytes }
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: Self.maxCount * Self.maxBytes, alignment: 64)
        self.bytes = bytes
        return bytes + slot * Self.maxBytes
    }

    /// Returns the contents that are kept, by the popups to which they belong. If an index was used again, the popup that
    /// closed later counts.
    func byPopup() -> [ClosedPopups.Index: (closedAt: Milliseconds, content: [UInt8])] {
        var contents: [ClosedPopups.Index: (closedAt: Milliseconds, content: [UInt8])] = [:]
        for index in 0..<slots.count {
            let slot = slots[index]
            if let other = contents[slot.popup], other.closedAt > slot.closedAt { continue }
            let content = bytes.map {
                [UInt8](UnsafeRawBufferPointer(start: $0 + index * Self.maxBytes, count: slot.count))
            }
            contents[slot.popup] = (slot.closedAt, content ?? [])
        }
        return contents
    }
}
