import PopupProtocol

/// How long the loop's turns took: counts of lengths that differ by less than an eighth, since the start.
///
/// A turn is what nobody else is served in. Noting one is a few instructions and allocates nothing.
struct TurnTimes {
    /// In µs: no turn is meant to take longer.
    static let longest: UInt64 = 20_000

    /// Eight counts for each power of two, the first sixteen one for each µs; the last has all that is longer.
    private static let bits = 3
    private static let places = 30 << bits

    private var counts = [UInt64](repeating: 0, count: places)
    private(set) var count: UInt64 = 0
    private(set) var maximum: UInt64 = 0
    /// Those that took longer than meant.
    private(set) var longCount: UInt64 = 0

    init() {}

    /// Notes a turn, in µs.
    mutating func note(_ time: UInt64) {
        counts[Self.place(of: time)] += 1
        count += 1
        if time > maximum { maximum = time }
        if time > Self.longest { longCount += 1 }
    }

    /// A length in µs that so many of a thousand turns didn't exceed: at most an eighth too long.
    func quantile(perMille: UInt64) -> UInt64 {
        let wanted = (count * perMille + 999) / 1000
        var seen: UInt64 = 0
        for place in counts.indices {
            seen += counts[place]
            if seen >= wanted, seen > 0 { return min(Self.end(of: place), maximum) }
        }
        return maximum
    }

    private static func place(of time: UInt64) -> Int {
        if time < 1 << (bits + 1) { return Int(time) }
        let exponent = UInt64.bitWidth - 1 - time.leadingZeroBitCount
        let place = (exponent - bits + 1) << bits | Int(time >> UInt64(exponent - bits)) & (1 << bits - 1)
        return min(place, places - 1)
    }

    /// The longest time of a place.
    private static func end(of place: Int) -> UInt64 {
        if place < 1 << (bits + 1) { return UInt64(place) }
        let exponent = place >> bits + bits - 1
        let step = UInt64(place & (1 << bits - 1) | 1 << bits)
        return (step + 1) << UInt64(exponent - bits) - 1
    }
}

extension WireTurnTimes {
    /// As the statistics tell them.
    init(_ times: TurnTimes) {
        self.init()
        count = times.count
        medianUs = times.quantile(perMille: 500)
        p99Us = times.quantile(perMille: 990)
        longestUs = times.maximum
        long = times.longCount
    }
}
