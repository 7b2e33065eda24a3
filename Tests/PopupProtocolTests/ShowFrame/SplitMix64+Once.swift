import TestSupport

extension SplitMix64 {
    /// Whether a thing that happens once in so many times happens now.
    mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}
