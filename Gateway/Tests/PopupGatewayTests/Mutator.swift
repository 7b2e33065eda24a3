import Foundation

/// Changes of bytes that a seed determines, the same on every machine.
struct Mutator {
    private var random: Generator

    /// SplitMix64.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    /// The maximum size of what it makes, in bytes.
    static let mostBytes = 32_768
    /// Texts at which readers go wrong.
    private static let words = [
        "\0", "\u{1B}[31m", "\u{7F}", "\r\n", "\n\n", "%00", "%ff", "%", "%e2%82", "+", "&", "=", "?", "#", "/", "//",
        "..", ":", ";", ",", "\"", "\\", "\\u0000", "\\ud800", "{", "}", "[", "]", "null", "true", "-0", "1e400",
        "٣", "\u{202E}", "e\u{301}", "\u{FEFF}", "*", "a/*", "Bearer ", "sha256=", "__Host-popup=", "\"commands\":",
        "{/", "~1", "~2", "@",
    ]
    /// Numbers at the edges of the integer types.
    private static let numbers = [
        "0", "-1", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296", "9007199254740993",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e3", "0.5",
    ]

    private static let isTraced = ProcessInfo.processInfo.environment["TRACE_INPUTS"] != nil

    /// Prints the name of an input and the number of its change, if the variable `TRACE_INPUTS` is set.
    static func trace(_ name: String, _ change: Int) {
        guard isTraced else { return }
        print(name, change)
        fflush(nil)
    }

    /// Creates a mutator.
    init(seed: UInt64) {
        random = Generator(state: seed)
    }

    /// Returns a number below a bound.
    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// Returns bytes with one to four changes; some come from another input.
    mutating func changed(_ bytes: [UInt8], _ other: [UInt8]) -> [UInt8] {
        var changed = bytes
        for _ in 0...number(below: 4) { change(&changed, other) }
        return Array(changed.prefix(Self.mostBytes))
    }

    private mutating func change(_ bytes: inout [UInt8], _ other: [UInt8]) {
        let place = number(below: bytes.count + 1)
        let end = min(bytes.count, place + 1 + number(below: 32))
        switch number(below: 8) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(number(below: 8))
        case 1 where place < bytes.count: bytes[place] = UInt8(number(below: 256))
        case 2: bytes.removeSubrange(place..<end)
        case 3:
            let piece = Array(bytes[place..<end])
            for _ in 0...number(below: 24) { bytes.insert(contentsOf: piece, at: place) }
        case 4: replaceNumber(from: place, in: &bytes)
        case 5: bytes.replaceSubrange(place..., with: other.dropFirst(number(below: other.count + 1)))
        case 6:
            // Deeper than a reader goes.
            let word = Array(Self.words[number(below: Self.words.count)].utf8)
            for _ in 0...number(below: 700) { bytes.insert(contentsOf: word, at: place) }
        default: bytes.insert(contentsOf: Self.words[number(below: Self.words.count)].utf8, at: place)
        }
    }

    /// Replaces the first number from a place on.
    private mutating func replaceNumber(from place: Int, in bytes: inout [UInt8]) {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let start = bytes[place...].firstIndex(where: digits.contains) else { return }
        let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.endIndex
        bytes.replaceSubrange(start..<end, with: Self.numbers[number(below: Self.numbers.count)].utf8)
    }
}
