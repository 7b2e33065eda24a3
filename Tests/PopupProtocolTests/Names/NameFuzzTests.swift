import PopupProtocol
import Testing
import TestSupport

/// Names are looked at eight bytes at a time; here they are once more, byte by byte, as the grammar has it.
@Suite struct NameFuzzTests {
    @Test("a group's name is what the grammar says", arguments: 1...2)
    func groups(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let usual = Array("aZ09._-m".utf8)
        let others = Array("/@[`{,:^~ \u{7F}\0".utf8) + [0x80, 0xE1, 0xFF]
        var valid = 0
        for _ in 0..<50_000 {
            let count = Int.random(in: 0...(random.once(in: 20) ? 210 : 30), using: &random)
            let slashes = Int.random(in: 3...70, using: &random)
            let name = (0..<count).map { _ in
                if random.once(in: slashes) { return UInt8(ascii: "/") }
                return (random.once(in: 100) ? others : usual).randomElement(using: &random) ?? 0
            }
            let isValid = GroupName.isValid(name.span)
            valid += isValid ? 1 : 0
            guard isValid == Self.isGroup(name) else {
                Issue.record("seed \(seed): \(name)")
                return
            }
        }
        #expect(valid > 10_000)
    }

    private static func isGroup(_ name: [UInt8]) -> Bool {
        let segments = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return (1...8).contains(segments.count) && name.count <= 200
            && segments.allSatisfy { segment in
                (1...64).contains(segment.count)
                    && segment.allSatisfy { Character(UnicodeScalar($0)).isSegmentCharacter }
            }
    }

    @Test("a producer's name is read digit by digit")
    func producers() {
        var random = SplitMix64(seed: 3)
        let digits = Array("0123456789abcdefABCDEF".utf8)
        for _ in 0..<20_000 {
            var name = (0..<32).map { _ in digits.randomElement(using: &random) ?? 0 }
            if random.once(in: 2) {
                name[Int.random(in: 0..<32, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: name, as: UTF8.self)
            let halves = [text.prefix(16), text.dropFirst(16)].map { half in
                half.utf8.allSatisfy { Character(UnicodeScalar($0)).isHexDigit && $0 < 0x80 }
                    ? UInt64(half, radix: 16) : nil
            }
            let expected = halves[0].flatMap { high in halves[1].map { ProducerName(high: high, low: $0) } }
            guard ProducerName(name.span) == expected else {
                Issue.record("\(name)")
                return
            }
        }
    }
}

extension Character {
    fileprivate var isSegmentCharacter: Bool {
        isASCII && (isLetter || isNumber) || self == "." || self == "_" || self == "-"
    }
}
