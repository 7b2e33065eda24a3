internal import TestSupport

/// A random sequence that a seed determines.
package struct FleetDice: RandomNumberGenerator {
    private var numbers: SplitMix64

    /// Creates the sequence of a seed.
    package init(seed: UInt64) { numbers = SplitMix64(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1) }

    /// Returns the next number.
    package mutating func next() -> UInt64 { numbers.next() }

    /// Returns a number of a range.
    package mutating func roll(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &self) }

    /// Returns whether something happens whose odds are so many in a thousand.
    package mutating func happens(_ perMille: Int64) -> Bool { roll(0...999) < perMille }
}
