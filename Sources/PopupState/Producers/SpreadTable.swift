/// A hash table in parts, each of which grows by itself: the step in which one with a hundred thousand producers grows
/// takes more than ten milliseconds, and several of them would grow in the same turn.
///
/// The share of the entries rises evenly from the first part to the last, which has twice as many, so that the parts do
/// not grow at the same time.
@usableFromInline
package struct SpreadTable<Key: Hashable, Value> {
    @usableFromInline static var partCount: Int { 64 }

    @usableFromInline var parts: [[Key: Value]] = Array(repeating: [:], count: partCount)
    /// The number of entries.
    @usableFromInline package internal(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The keys, in no particular order.
    package var keys: some Sequence<Key> { parts.lazy.flatMap(\.keys) }

    @inlinable
    package subscript(key: Key) -> Value? {
        @inline(__always) get { parts[Self.part(of: key)][key] }
        set {
            let part = Self.part(of: key)
            let before = parts[part].count
            parts[part][key] = newValue
            count += parts[part].count - before
        }
    }

    @inlinable @inline(__always)
    static func part(of key: Key) -> Int { part(ofHash: UInt64(truncatingIfNeeded: key.hashValue)) }

    /// Returns the part of a hash. The share of the keys rises from part to part, so the hashes before part p of n are in
    /// proportion to (1 + p/n)² − 1. This is the inverse.
    @inlinable @inline(__always)
    static func part(ofHash hash: UInt64) -> Int {
        let fraction = Double(hash >> 32) * 0x1p-32
        return Int(Double(partCount) * ((1 + 3 * fraction).squareRoot() - 1))
    }
}
