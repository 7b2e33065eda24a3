/// Random numbers of one purpose, from the seed alone. What one purpose draws never shifts what another does, so that
/// a script loses items without the rest of the run changing its mind.
/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
struct Dice {
    private var state: UInt64

    init(_ seed: UInt64, for purpose: String) {
        // FNV-1a: Swift's own hashes differ from run to run.
        state = purpose.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        state ^= seed &* 0x9E37_79B9_7F4A_7C15
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// 0..<count.
    mutating func below(_ count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    mutating func percent(_ share: Int) -> Bool { below(100) < share }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Each with the share that its number has of all.
    mutating func pick<Element>(_ shares: [(Int, Element)]) -> Element {
        var left = below(shares.reduce(0) { $0 + $1.0 })
        for (share, element) in shares {
            if left < share { return element }
            left -= share
        }
        return shares[0].1
    }
}
