/// The scheduler's random numbers. They are part of its state, so that the replay of a journal results in the same
/// gaps. The algorithm is SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014).
struct Generator: Sendable {
    private(set) var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The high 32 bits of the first number of this state.
    var first: UInt32 {
        var generator = self
        return UInt32(truncatingIfNeeded: generator.next() >> 32)
    }

    /// Returns a number of the range. The probabilities differ by less than 2^-32. A range of one number does not
    /// change the state.
    mutating func next(in range: ClosedRange<UInt32>) -> UInt32 {
        guard range.lowerBound < range.upperBound else { return range.lowerBound }
        let width = UInt64(range.upperBound - range.lowerBound) + 1
        return range.lowerBound + UInt32(truncatingIfNeeded: next().multipliedFullWidth(by: width).high)
    }
}
