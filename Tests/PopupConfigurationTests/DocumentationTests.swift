import Foundation
import PopupBroker
import PopupConfiguration
import Testing

@Suite("Documentation/Configuration.md says what the code does")
struct DocumentationTests {
    @Test("Its tables have each setting with default, unit and range, and no other")
    func settings() throws {
        let documented = try rows().map { "\($0[0]) | \($0[1]) | \($0[2]) | \($0[3])" }
        let standard = Configuration()
        let known = Setting.all.map { setting in
            "\(setting.key) | \(setting.value(in: standard)) | \(setting.unit) | \(range(setting.domain))"
        }
        #expect(documented == known)
    }

    @Test("Each setting has its meaning told")
    func meanings() throws {
        for row in try rows() { #expect(row[4].count > 10, "\(row[0])") }
    }

    @Test("The annotated example is a configuration without mistakes")
    func example() throws {
        let file = packageFolder.appending(path: "Examples/configuration/popup-broker.yaml").path
        let loaded = try ConfigurationLoader(file: file).load()
        // What it shows of settings are the defaults; policies and defaults are what it adds.
        var settings = loaded.configuration
        settings.broker.policies = []
        settings.broker.defaults = []
        #expect(settings == Configuration())
        #expect(Set(loaded.origins.keys) == Set(Setting.all.map(\.key)))
        #expect(!loaded.configuration.broker.policies.isEmpty)
    }

    /// The cells of all tables whose first column is a key.
    private func rows() throws -> [[String]] {
        let file = packageFolder.appending(path: "Documentation/Configuration.md")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces).replacing("`", with: "")
            }
            return cells.count == 5 && cells[0].contains(".") ? cells : nil
        }
    }

    private func range(_ domain: Setting.Domain) -> String {
        switch domain {
        case .integer(let range): "\(range.lowerBound) … \(range.upperBound)"
        case .choice(let words): words.joined(separator: ", ")
        case .path: "a path"
        case .flag: "true, false"
        case .fileMode: "an octal mode"
        case .endpoint: "tcp://ADDRESS:PORT, ipc://PATH"
        }
    }
}
