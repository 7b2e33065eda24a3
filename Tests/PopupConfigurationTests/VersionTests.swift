import Foundation
import PopupBroker
import Testing

@Suite("The version of the broker")
struct VersionTests {
    @Test("is the newest one in the changelog")
    func newest() throws {
        let changelog = try String(contentsOf: packageFolder.appending(path: "CHANGELOG.md"), encoding: .utf8)
        // A release has a heading with its version; before it, a sentence under [Unreleased] names the version.
        let newest = try #require(changelog.firstMatch(of: /(?:This will be version |## \[)(\d+\.\d+\.\d+)/))
        #expect(newest.1 == BrokerConfiguration().version)
    }
}
