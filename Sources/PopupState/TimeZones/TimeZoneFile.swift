import PopupScheduling

/// A parser of TZif data (RFC 9636, versions 1 to 4): the changes of a zone's clocks, and the rule for the years after
/// them.
///
/// The first block has times of 32 bits. From version 2 on, a second block has times of 64 bits, and the rule follows
/// as a line of text. Then the first block is skipped.
package struct TimeZoneFile {
    /// The error that the bytes are not TZif data.
    package struct Damaged: Error, Equatable {
        /// A description of the mistake.
        package var what: String

        init(_ what: String) { self.what = what }
    }

    /// The greatest valid offset in seconds: 26 hours, more than RFC 9636 advises.
    private static let largestOffset: Int32 = 93_600
    /// The greatest time in seconds, about a hundred million years. Greater times are replaced by this one: some files
    /// begin with the Big Bang.
    private static let farthest: Int64 = 1 << 52

    /// The numbers of a block's elements.
    private struct Counts {
        var universalMarks: Int
        var standardMarks: Int
        var leapSeconds: Int
        var transitions: Int
        var types: Int
        var letters: Int

        func bytes(timeSize: Int) -> Int {
            transitions * (timeSize + 1) + types * 6 + letters + leapSeconds * (timeSize + 4) + standardMarks
                + universalMarks
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    /// Returns the rules in TZif data.
    static func rules(in bytes: [UInt8]) throws(Damaged) -> TimeZoneRules {
        var file = TimeZoneFile(bytes: bytes)
        return try file.rules()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func rules() throws(Damaged) -> TimeZoneRules {
        let (version, counts) = try header()
        guard version >= UInt8(ascii: "2") else { return try block(counts, timeSize: 4, isLast: true) }
        try skip(counts.bytes(timeSize: 4))
        let (secondVersion, secondCounts) = try header()
        guard secondVersion == version else { throw Damaged("its two headers are of different versions") }
        var rules = try block(secondCounts, timeSize: 8, isLast: false)
        let footer = try footer()
        guard !footer.isEmpty else { return rules }
        let zone = try PosixTimeZone(footer)
        guard let rule = zone.rule else {
            guard zone.standardOffset == rules.transitions.last?.offset ?? rules.initialOffset else {
                throw Damaged("its footer contradicts its last change")
            }
            return rules
        }
        rules.rule = rule
        return rules
    }

    private mutating func header() throws(Damaged) -> (version: UInt8, Counts) {
        guard bytes.count - position >= 44 else { throw Damaged("it ends within a header") }
        guard bytes[position..<position + 4].elementsEqual("TZif".utf8) else { throw Damaged("it is not TZif data") }
        let version = bytes[position + 4]
        guard version == 0 || version >= UInt8(ascii: "2") else { throw Damaged("its version is unknown") }
        position += 20
        var numbers: [Int] = []
        for _ in 0..<6 { numbers.append(Int(UInt32(truncatingIfNeeded: try number(4)))) }
        let counts = Counts(
            universalMarks: numbers[0], standardMarks: numbers[1], leapSeconds: numbers[2], transitions: numbers[3],
            types: numbers[4], letters: numbers[5])
        guard counts.types > 0, counts.letters > 0,
            counts.universalMarks == 0 || counts.universalMarks == counts.types,
            counts.standardMarks == 0 || counts.standardMarks == counts.types
        else { throw Damaged("the counts of a header can't be") }
        return (version, counts)
    }

    /// Parses a block of data: the times of changes, the type from each change on, the types, and parts that the rules
    /// do not need.
    private mutating func block(
        _ counts: Counts, timeSize: Int, isLast: Bool
    ) throws(Damaged) -> TimeZoneRules {
        // Times in these files include leap seconds, unlike those of the broker.
        guard counts.leapSeconds == 0 else { throw Damaged("it counts leap seconds; take the zone without them") }
        guard counts.bytes(timeSize: timeSize) <= bytes.count - position else {
            throw Damaged("it ends within its data")
        }
        var times: [Int64] = []
        for _ in 0..<counts.transitions { times.append(try number(timeSize)) }
        guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw Damaged("its changes are not in order of time")
        }
        let types = bytes[position..<position + counts.transitions].map { Int($0) }
        try skip(counts.transitions)
        var offsets: [Int32] = []
        for _ in 0..<counts.types {
            let offset = Int32(truncatingIfNeeded: try number(4))
            let (isDaylight, name) = (bytes[position], Int(bytes[position + 1]))
            try skip(2)
            guard -Self.largestOffset...Self.largestOffset ~= offset, isDaylight <= 1, name < counts.letters else {
                throw Damaged("it has an offset from UTC that can't be")
            }
            offsets.append(offset)
        }
        guard types.allSatisfy({ $0 < offsets.count }) else { throw Damaged("a change leads to no offset") }
        try skip(counts.letters + counts.standardMarks + counts.universalMarks)
        guard !isLast || position == bytes.count else { throw Damaged("it goes on after its end") }
        return TimeZoneRules(
            initialOffset: offsets[0],
            transitions: zip(times, types).map { time, type in
                TimeZoneRules.Transition(
                    at: min(max(time, -Self.farthest), Self.farthest) * 1000, offset: offsets[type])
            })
    }

    /// Returns the line of text at the end.
    private mutating func footer() throws(Damaged) -> ArraySlice<UInt8> {
        let newLine = UInt8(ascii: "\n")
        let rest = bytes[position...]
        guard rest.count >= 2, rest.first == newLine, rest.last == newLine,
            !rest.dropFirst().dropLast().contains(newLine)
        else { throw Damaged("its footer is not a line of text") }
        return rest.dropFirst().dropLast()
    }

    /// Parses a number in two's complement, big-endian.
    private mutating func number(_ count: Int) throws(Damaged) -> Int64 {
        guard bytes.count - position >= count else { throw Damaged("it ends within a number") }
        var value = bytes[position] >= 0x80 ? Int64(-1) : 0
        for byte in bytes[position..<position + count] { value = value << 8 | Int64(byte) }
        position += count
        return value
    }

    private mutating func skip(_ count: Int) throws(Damaged) {
        guard count >= 0, bytes.count - position >= count else { throw Damaged("it ends within its data") }
        position += count
    }
}
