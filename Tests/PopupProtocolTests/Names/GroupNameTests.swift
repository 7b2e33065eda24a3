import PopupProtocol
import Testing

@Suite("Group names")
struct GroupNameTests {
    static let longest = (1...3).map { _ in String(repeating: "a", count: 64) }.joined(separator: "/") + "/abcde"

    @Test(
        "are 1 to 8 segments of 1 to 64 letters, digits, dots, underscores and hyphens, 200 bytes at most",
        arguments: [
            "g", "lobby", "store-12/kiosk-3/topbar", "A.b_c-9", ".", "..", "1/2/3/4/5/6/7/8", longest,
            String(repeating: "x", count: 64),
        ])
    func accepted(text: String) {
        #expect(GroupName(text)?.text == text)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "/", "a/", "/a", "a//b", "a b", "a*", "*", "a/*", "ä", "a\n", "1/2/3/4/5/6/7/8/9", longest + "f",
            String(repeating: "x", count: 65),
        ])
    func refused(text: String) {
        #expect(GroupName(text) == nil)
    }

    @Test("are ordered by bytes")
    func order() {
        let names = ["b", "a/b", "a", "a-b", "B"].compactMap { GroupName($0) }
        #expect(names.sorted().map(\.text) == ["B", "a", "a-b", "a/b", "b"])
    }
}

@Suite("Patterns")
struct GroupPatternTests {
    @Test(
        "are a group, whole segments followed by `/*`, or `*`",
        arguments: [
            ("lobby", GroupPattern.Form.exact), ("a/b", .exact), ("a/*", .below(segments: 1)),
            ("a/b/*", .below(segments: 2)), ("1/2/3/4/5/6/7/*", .below(segments: 7)), ("*", .every),
            (String(GroupNameTests.longest.dropLast(2)) + "/*", .below(segments: 4)),
        ])
    func accepted(text: String, form: GroupPattern.Form) {
        #expect(GroupPattern(text)?.form == form)
    }

    @Test(
        "are nothing else",
        arguments: [
            "", "/*", "a*", "a/b*", "a/*/b", "**", "*/a", "a//*", "1/2/3/4/5/6/7/8/*", GroupNameTests.longest + "/*",
        ])
    func refused(text: String) {
        #expect(GroupPattern(text) == nil)
    }

    @Test(
        "choose a group by its whole segments",
        arguments: [
            ("lobby", ["lobby"]), ("store/*", ["store/1", "store/1/top"]), ("store/1/*", ["store/1/top"]),
            ("*", ["lobby", "lobby2", "store", "store/1", "store/1/top", "store2/1"]),
        ])
    func matching(pattern: String, chosen: [String]) throws {
        let pattern = try #require(GroupPattern(pattern))
        let groups = ["lobby", "lobby2", "store", "store/1", "store/1/top", "store2/1"].compactMap { GroupName($0) }
        #expect(groups.filter(pattern.matches).map(\.text) == chosen)
    }

    @Test("are ordered from the least to the most specific")
    func specificity() {
        let patterns = ["a/b/c", "b/*", "*", "a/b/*", "a/*", "z"].compactMap { GroupPattern($0) }
        #expect(patterns.sorted().map(\.text) == ["*", "a/*", "b/*", "a/b/*", "a/b/c", "z"])
    }
}
