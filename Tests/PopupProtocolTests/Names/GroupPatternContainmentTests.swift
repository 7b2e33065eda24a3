import PopupProtocol
import Testing

/// The containment of patterns, held to what the patterns match.
struct GroupPatternContainmentTests {
    /// Every name of at most three segments over a small alphabet, one of them the beginning of another.
    private static let names: [GroupName] = {
        let segments = ["a", "ab", "b"]
        var names = segments
        var last = segments
        for _ in 0..<2 {
            last = last.flatMap { prefix in segments.map { "\(prefix)/\($0)" } }
            names += last
        }
        return names.map { GroupName($0)! }
    }()

    /// Patterns over prefixes of at most two segments, so that each has names below it in `names`.
    private static let patterns: [GroupPattern] =
        names.map { GroupPattern($0) } + [.every]
        + names.filter { $0.text.utf8.filter { $0 == UInt8(ascii: "/") }.count < 2 }.map { GroupPattern("\($0)/*")! }

    @Test func aPatternContainsAnotherExactlyWhenItMatchesAllOfItsGroups() {
        for pattern in Self.patterns {
            for other in Self.patterns {
                let matchesAll = Self.names.allSatisfy { !other.matches($0) || pattern.matches($0) }
                // Of the finite names, those below `a` could all be told one by one; `*` has more than all of them.
                let isWider = other.form == .every && pattern.form != .every
                #expect(
                    pattern.contains(other) == (matchesAll && !isWider), "\(pattern) contains \(other)")
            }
        }
    }

    @Test func containmentIsAnOrder() {
        for first in Self.patterns {
            #expect(first.contains(first))
            for second in Self.patterns where first.contains(second) {
                #expect(first == second || !second.contains(first))
                for third in Self.patterns where second.contains(third) { #expect(first.contains(third)) }
            }
        }
    }
}
