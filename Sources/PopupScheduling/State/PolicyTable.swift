/// Which of a policy's quiet windows are in force.
struct QuietHours {
    /// For each window the number with which it began, in the order of suspensions; 0 when it isn't in force.
    var numbers: [UInt64] = []
    /// When one of them may begin or end.
    var timer: TimerQueue.Index?
}

/// The policies by the name or pattern that they are for, with their quiet hours; and the suspensions, whose numbers quiet
/// windows share.
struct PolicyTable {
    typealias Index = TableIndex<Policy>

    private var policies: [Policy] = [.priority]
    /// Which of their quiet windows are in force.
    private var quiet: [QuietHours] = [QuietHours()]
    /// The account of whoever set each.
    private var accounts: [AccountRecord.Index?] = [nil]
    private var places: [[UInt8]: Index] = [:]
    /// What each is for.
    private var patternOfPlace: [[UInt8]] = [all]
    /// How many patterns have so many bytes: one of a length that none has needn't be looked for.
    private var lengths: [Int] = []
    /// The place of the policy of `*`.
    private var placeOfAll = initial
    private var freePlaces: [Index] = []

    /// The suspension tokens that stand.
    var suspensions: SuspensionTable
    /// The random numbers from which the lengths of gaps are drawn.
    private(set) var gaps: Generator

    /// Whether there are quiet hours without a timer: nothing was told for long.
    var quietHoursRest = false

    /// A table with the initial policy alone.
    init(suspensions: SuspensionTable = SuspensionTable(), gaps: Generator = Generator(seed: 0)) {
        self.suspensions = suspensions
        self.gaps = gaps
    }

    /// The place of the policy that holds where no other was set.
    static var initial: Index { Index(number: 0) }

    /// How many were set.
    var count: Int { places.count }

    /// Lent, not copied: a policy has lists.
    subscript(place: Index) -> Policy {
        _read { yield policies[place.number] }
    }

    /// Their quiet hours.
    subscript(quietHours place: Index) -> QuietHours {
        _read { yield quiet[place.number] }
        _modify { yield &quiet[place.number] }
    }

    /// The account of whoever set them.
    subscript(account place: Index) -> AccountRecord.Index? {
        get { accounts[place.number] }
        set { accounts[place.number] = newValue }
    }

    /// Returns the length of a gap under a policy, in ms.
    mutating func drawGap(under place: Index) -> UInt32 { gaps.next(in: policies[place.number].gap) }

    /// Returns the priority below which popups of a group are held back, by suspensions or quiet hours.
    func threshold(ofGroup name: UnsafeRawBufferPointer, under place: Index) -> Int64 {
        max(suspensions.threshold(for: name), quietThreshold(place))
    }

    /// How many policies have quiet hours that go on.
    var quietCount: Int { quiet.count { $0.timer != nil } }

    /// Whether a policy has quiet hours that rest.
    func rests(_ place: Index) -> Bool { !policies[place.number].quiet.isEmpty && quiet[place.number].timer == nil }

    /// The priority below which the quiet windows now in force hold popups back, of those that began after `number`;
    /// `Int64.min` when none is.
    func quietThreshold(_ place: Index, after number: UInt64 = 0) -> Int64 {
        let windows = policies[place.number].quiet
        return zip(windows, quiet[place.number].numbers).reduce(.min) { highest, window in
            guard window.1 > number else { return highest }
            return max(highest, window.0.minimumPriority.map(Int64.init) ?? .max)
        }
    }

    /// The names and patterns with a policy, in byte order.
    var patterns: [[UInt8]] { places.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// The name or pattern for which the policy of a place in use is.
    func pattern(of place: Index) -> [UInt8] { patternOfPlace[place.number] }

    func place(ofPattern pattern: [UInt8]) -> Index? { places[pattern] }

    /// The place of the policy of this very name or pattern.
    func place(ofPattern pattern: UnsafeRawBufferPointer) -> Index? { places[Array(pattern)] }

    func ignoresPriority(_ place: Index) -> Bool { policies[place.number].ignorePriority }

    /// Sets or replaces the policy of a pattern, and returns its place.
    @discardableResult
    mutating func set(_ policy: Policy, for pattern: UnsafeRawBufferPointer) -> Index {
        let key = Array(pattern)
        if let place = places[key] {
            policies[place.number] = policy
            return place
        }
        let place = freePlaces.popLast() ?? addPlace()
        policies[place.number] = policy
        places[key] = place
        patternOfPlace[place.number] = key
        if key.count >= lengths.count {
            lengths.append(contentsOf: repeatElement(0, count: key.count + 1 - lengths.count))
        }
        lengths[key.count] += 1
        if key == Self.all { placeOfAll = place }
        return place
    }

    private mutating func addPlace() -> Index {
        policies.append(.priority)
        quiet.append(QuietHours())
        accounts.append(nil)
        patternOfPlace.append([])
        return Index(number: policies.count - 1)
    }

    /// Takes the policy of a pattern out, if there is one.
    mutating func remove(_ pattern: UnsafeRawBufferPointer) {
        let key = Array(pattern)
        guard let place = places.removeValue(forKey: key) else { return }
        accounts[place.number] = nil
        freePlaces.append(place)
        lengths[key.count] -= 1
        if key == Self.all { placeOfAll = Self.initial }
    }

    /// The place of the policy for a group: of its exact name, else of the pattern with most segments, else of `*`.
    func place(for name: UnsafeRawBufferPointer) -> Index {
        if isLength(name.count), let place = places[Array(name)] { return place }
        var length = name.count
        while length > 0 {
            length -= 1
            guard name[length] == UInt8(ascii: "/"), isLength(length + 2) else { continue }
            if let place = places[Array(name[...length]) + Self.all] { return place }
        }
        return placeOfAll
    }

    /// Whether a pattern has so many bytes.
    private func isLength(_ count: Int) -> Bool { count < lengths.count && lengths[count] > 0 }

    private static let all = [UInt8(ascii: "*")]
}
