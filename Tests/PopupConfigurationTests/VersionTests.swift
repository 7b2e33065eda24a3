import Foundation
import PopupBroker
import Testing

@Suite("The version of the broker")
struct VersionTests {
    @Test("is the newest one in the changelog")
    func newest() throws {
        let changelog = try String(contentsOf: packageFolder.appending(path: "CHANGELOG.md"), encoding: .utf8)
        // Each version has a heading, also the one that is not released yet.
        let newest = try #require(changelog.firstMatch(of: /## \[(\d+\.\d+\.\d+)\]/))
        #expect(newest.1 == BrokerConfiguration().version)
    }
}
