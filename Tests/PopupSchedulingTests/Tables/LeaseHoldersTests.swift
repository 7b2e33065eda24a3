import Testing

@testable import PopupScheduling

@Suite struct LeaseHoldersTests {
    private static let patterns = ["a", "a/b", "a/b/c", "ab", "a/*", "a/b/*", "/*", "a//*", "*", ""]
    private static let groups = ["a", "a/b", "a/b/c", "a//b", "ab", "ab/c", "/", "b", "*", "a/*"]

    /// Calls `body` with the names and patterns of a lease, each followed by a line feed.
    private func withLease<Result>(_ patterns: [String], _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(patterns.map { $0 + "\n" }.joined().utf8).withUnsafeBytes(body)
    }

    private func holders(of group: String, in table: LeaseHolders) -> Set<RendererRecord.Index> {
        var found: Set<RendererRecord.Index> = []
        _ = Array(group.utf8).withUnsafeBytes { name in
            table.first(ofGroup: name) { client in
                found.insert(client)
                return false
            }
        }
        return found
    }

    @Test func `a group's renderers are those with a pattern that matches it`() {
        var random = ReferenceGenerator(seed: 1)
        var table = LeaseHolders()
        var leases: [RendererRecord.Index: [String]] = [:]
        for _ in 0..<2000 {
            let client = RendererRecord.Index(number: random.below(20))
            if let former = leases.removeValue(forKey: client) {
                withLease(former) { table.remove(client, $0) }
            } else {
                let patterns = (0..<random.below(4)).map { _ in Self.patterns[random.below(Self.patterns.count)] }
                leases[client] = patterns
                withLease(patterns) { table.insert(client, $0) }
            }
            let group = Self.groups[random.below(Self.groups.count)]
            let expected = leases.filter { $0.value.contains { matches($0, group) } }.map(\.key)
            #expect(holders(of: group, in: table) == Set(expected), "of \(group)")
        }
    }

    @Test func `the first renderer that satisfies the condition ends the search`() {
        var table = LeaseHolders()
        for number in 0..<1000 { withLease(["*"]) { table.insert(RendererRecord.Index(number: number), $0) } }
        var visited = 0
        let found = Array("g".utf8).withUnsafeBytes { name in
            table.first(ofGroup: name) { client in
                visited += 1
                return client.number == 2
            }
        }
        #expect(found?.number == 2)
        #expect(visited == 3)
    }

    @Test func `renderers of other groups are not visited`() {
        var table = LeaseHolders()
        for number in 0..<1000 {
            withLease(["g\(number)", "h\(number)/*"]) { table.insert(RendererRecord.Index(number: number), $0) }
        }
        #expect(holders(of: "h7/g7", in: table) == [RendererRecord.Index(number: 7)])
    }

    @Test func `a set of patterns matches the groups that one of them matches`() {
        for pattern in Self.patterns {
            let set = PatternSet([Array(pattern.utf8), Array("z".utf8)])
            for group in Self.groups {
                let isIn = Array(group.utf8).withUnsafeBytes { set.matches($0) }
                #expect(isIn == matches(pattern, group), "\(pattern) and \(group)")
            }
        }
    }

    private func matches(_ pattern: String, _ group: String) -> Bool {
        Array(pattern.utf8).withUnsafeBytes { pattern in
            Array(group.utf8).withUnsafeBytes { Pattern(pattern).matches($0) }
        }
    }
}
