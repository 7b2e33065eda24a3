/// A random sequence that a seed determines (SplitMix64).
package struct FleetDice: RandomNumberGenerator {
    private var state: UInt64

    /// Creates the sequence of a seed.
    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    /// Returns the next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns a number of a range.
    package mutating func roll(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &self) }

    /// Returns whether something happens whose odds are so many in a thousand.
    package mutating func happens(_ perMille: Int64) -> Bool { roll(0...999) < perMille }
}
