// Arithmetic on the numbers of a broker, of which a hostile one may send any. A result that is too great is the greatest
// number.
extension UInt64 {
    /// Returns the sum with a number; the greatest number if the sum is too great.
    package func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, isTooGreat) = addingReportingOverflow(other)
        return isTooGreat ? .max : sum
    }

    /// Returns this number of thousandths, at most 1000, rounded up; exact for every number.
    package func thousandths(_ number: UInt64) -> UInt64 {
        let (thousands, rest) = quotientAndRemainder(dividingBy: 1000)
        return thousands * number + (rest * number + 999) / 1000
    }
}

extension Sequence<UInt64> {
    /// The sum; the greatest number if the sum is too great.
    package var saturatedSum: UInt64 { reduce(0) { $0.addingSaturated($1) } }
}

extension Int {
    /// Creates the nearest integer; the greatest or the least one for a number beyond it, and 0 for no number.
    package init(saturating number: Double) {
        let rounded = number.rounded()
        self = Int(exactly: rounded) ?? (rounded.isNaN ? 0 : rounded < 0 ? .min : .max)
    }
}
