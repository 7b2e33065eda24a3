import TestSupport

/// Random numbers of one purpose, from the seed alone. What one purpose draws never shifts what another does, so that
/// a script loses items without the rest of the run changing its mind.
struct Dice {
    private var numbers: SplitMix64

    init(_ seed: UInt64, for purpose: String) {
        // FNV-1a: Swift's own hashes differ from run to run.
        let name: UInt64 = purpose.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        numbers = SplitMix64(seed: name ^ seed &* 0x9E37_79B9_7F4A_7C15)
    }

    /// 0..<count.
    mutating func below(_ count: Int) -> Int {
        Int(numbers.next().multipliedFullWidth(by: UInt64(count)).high)
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
