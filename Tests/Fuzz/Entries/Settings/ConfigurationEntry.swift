import Foundation
@testable import PopupBroker
@testable import PopupConfiguration
import PopupProtocol

/// YAML as a configuration file and as a file of policies. What is refused is explained; what is accepted a broker can
/// begin with.
enum ConfigurationEntry {
    private static let path = ScratchFolder.path("configuration.yaml")

    static func run(_ input: [UInt8]) throws -> Bool {
        var isAccepted = false
        try Data(input).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let loaded = try ConfigurationLoader(file: path).load()
            try check(loaded)
            isAccepted = true
        } catch let error as ConfigurationError {
            try check(error)
        }
        do {
            for policy in try PolicyFile(name: path).load() where policy.group.isEmpty {
                throw Finding("a policy of no group: \(policy)")
            }
        } catch let error as ConfigurationError {
            try check(error)
        }
        return isAccepted
    }

    static func check(_ error: ConfigurationError) throws {
        guard !error.problems.isEmpty, error.problems.allSatisfy({ !"\($0)".isEmpty }) else {
            throw Finding("a refusal that tells no problem")
        }
    }

    /// What is listed is what is in force: loaded again, it is the same.
    static func check(_ loaded: LoadedConfiguration) throws {
        let flags = Setting.all.map {
            ConfigurationLoader.Flag(
                key: $0.key, value: $0.value(in: loaded.configuration), spelling: "--set \($0.key)")
        }
        do {
            let again = try ConfigurationLoader(flags: flags).load()
            for setting in Setting.all
            where setting.value(in: again.configuration) != setting.value(in: loaded.configuration) {
                throw Finding("\(setting.key) is another when it is set to its value")
            }
        } catch let error as ConfigurationError {
            throw Finding("a setting refuses its value: \(error)")
        }
        _ = try ConfiguredPlugins(loaded.configuration.broker)
    }
}
