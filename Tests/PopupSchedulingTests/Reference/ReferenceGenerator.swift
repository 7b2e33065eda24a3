/// SplitMix64, and a number of a range by its high half: as the scheduler documents its draws.
struct ReferenceGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func draw(_ range: ClosedRange<UInt32>) -> UInt32 {
        if range.lowerBound == range.upperBound { return range.lowerBound }
        let numbers = UInt64(range.upperBound) - UInt64(range.lowerBound) + 1
        return range.lowerBound + UInt32(next().multipliedFullWidth(by: numbers).high)
    }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// One of `0..<count`.
    mutating func below(_ count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }
}
