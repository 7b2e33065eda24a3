import Testing

@testable import EtcdLog

/// The order of the versions of nodes.
@Suite struct NodeVersionTests {
    @Test func `versions are compared by their numbers, and a prerelease comes before its release`() throws {
        let ascending = ["0.2.0", "0.9.0", "0.10.0-rc.1", "0.10.0", "1.0.0", "1.0.1+build.7", "10.0.0"]
        let versions = try ascending.map { try #require(NodeVersion($0)) }
        for (place, one) in versions.enumerated() {
            for (otherPlace, other) in versions.enumerated() {
                #expect(one.isOlder(than: other) == (place < otherPlace), "\(place), \(otherPlace)")
            }
        }
    }

    @Test func `of two prereleases of one version, neither is older, and what stands behind + does not count`() throws {
        for (first, second) in [("1.0.0-rc.1", "1.0.0-rc.2"), ("1.0.0+1", "1.0.0+2"), ("1.0.0", "1.0.0+a-b")] {
            let (one, other) = (try #require(NodeVersion(first)), try #require(NodeVersion(second)))

            #expect(!one.isOlder(than: other) && !other.isOlder(than: one), "\(first), \(second)")
        }
    }

    @Test(arguments: ["", "unknown", "1", "1.0", "1.0.0.0", "1..0", "1.0.x", "-1.0.0", "99999999999999999999.0.0"])
    func `another text is no version`(text: String) { #expect(NodeVersion(text) == nil) }
}
