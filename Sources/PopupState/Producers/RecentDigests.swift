/// The digests of a producer's last commands, by their sequences.
///
/// A ring that grows on demand up to `maxCount` digests: for a producer of one command it takes eight bytes. It does not know
/// which of its slots are in use: the caller knows whether a sequence is settled.
@usableFromInline
struct RecentDigests {
    /// The maximum number of digests: those of the highest sequences.
    @inlinable static var maxCount: UInt64 { 256 }

    // The digest of `sequence` is at `sequence % slots.count`; the count is a power of two.
    @usableFromInline var slots: [UInt64] = []
    @usableFromInline var lowest: UInt64 = 0
    @usableFromInline var highest: UInt64 = 0

    init() {}

    /// Returns the sequences whose digests are remembered if they are settled.
    @inlinable
    static func window(below highest: UInt64) -> ClosedRange<UInt64> {
        (highest > maxCount ? highest - maxCount + 1 : 1)...max(1, highest)
    }

    /// The digest of a settled sequence; `nil` if it is no longer remembered.
    @inlinable @inline(__always)
    subscript(sequence: UInt64) -> UInt64? {
        guard sequence <= highest, highest - sequence < Self.maxCount, sequence >= lowest else { return nil }
        return slots[Int(truncatingIfNeeded: sequence) & (slots.count - 1)]
    }

    /// Records the digest of a sequence that is settled now.
    @inlinable @inline(__always)
    mutating func insert(_ digest: UInt64, of sequence: UInt64) {
        if slots.count == Self.maxCount, sequence > highest, sequence - highest < Self.maxCount {
            highest = sequence
            lowest = max(lowest, Self.window(below: sequence).lowerBound)
        } else if !makeRoom(for: sequence) {
            return
        }
        slots[Int(truncatingIfNeeded: sequence) & (slots.count - 1)] = digest
    }

    /// Extends the ring to a sequence. Returns whether its digest is remembered.
    @usableFromInline
    mutating func makeRoom(for sequence: UInt64) -> Bool {
        guard !slots.isEmpty, sequence < highest || sequence - highest < Self.maxCount else {
            // It is the first one, or so high that no digest of another sequence is remembered.
            slots.removeAll(keepingCapacity: true)
            slots.append(0)
            lowest = sequence
            highest = sequence
            return true
        }
        let window = Self.window(below: max(highest, sequence))
        guard sequence >= window.lowerBound else { return false }
        let newLowest = max(window.lowerBound, min(lowest, sequence))
        let needed = Int(window.upperBound - newLowest) + 1
        if needed > slots.count { grow(to: needed) }
        lowest = newLowest
        highest = window.upperBound
        return true
    }

    private mutating func grow(to needed: Int) {
        var count = slots.count
        while count < needed { count *= 2 }
        var larger = [UInt64](repeating: 0, count: count)
        for sequence in lowest...highest {
            let index = Int(truncatingIfNeeded: sequence)
            larger[index & (count - 1)] = slots[index & (slots.count - 1)]
        }
        slots = larger
    }
}
