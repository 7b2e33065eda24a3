/// A hash table in parts, each of which grows by itself: the step in which a table with a hundred thousand entries
/// grows takes more than ten milliseconds, and with millions half a second.
///
/// The share of the entries rises evenly from the first part to the last, which has twice as many, so that the parts do
/// not grow at the same time.
@usableFromInline
package struct SpreadTable<Key: Hashable, Value> {
    @usableFromInline var parts: [[Key: Value]]
    /// The number of entries.
    @usableFromInline package internal(set) var count = 0

    /// Creates an empty table with this number of parts.
    package init(parts: Int = 64) {
        self.parts = Array(repeating: [:], count: parts)
    }

    package var isEmpty: Bool { count == 0 }

    /// The keys, in no particular order.
    package var keys: some Sequence<Key> { parts.lazy.flatMap(\.keys) }

    /// The value of a key; `nil` if the table has none. It is changed in its place.
    @inlinable
    package subscript(key: Key) -> Value? {
        @inline(__always) get { parts[part(of: key)][key] }
        _modify {
            let part = part(of: key)
            let before = parts[part].count
            defer { count += parts[part].count - before }
            yield &parts[part][key]
        }
    }

    @inlinable @inline(__always)
    func part(of key: Key) -> Int { Self.part(ofHash: UInt64(truncatingIfNeeded: key.hashValue), of: parts.count) }

    /// Returns the part of a hash in a table with this number of parts. The share of the keys rises from part to part,
    /// so the hashes before part p of n are in proportion to (1 + p/n)² − 1. This is the inverse.
    @inlinable @inline(__always)
    static func part(ofHash hash: UInt64, of count: Int) -> Int {
        let fraction = Double(hash >> 32) * 0x1p-32
        return Int(Double(count) * ((1 + 3 * fraction).squareRoot() - 1))
    }
}
