@testable import PopupConfiguration

/// Lines `NAME=value`: one that begins as a variable of the broker's is in the environment, any other is a flag of
/// `--set`.
enum SettingsEntry {
    static func run(_ input: [UInt8]) throws -> Bool {
        var environment: [String: String] = [:]
        var flags: [ConfigurationLoader.Flag] = []
        for line in input.split(separator: UInt8(ascii: "\n")).prefix(256) {
            let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(decoding: parts[0], as: UTF8.self)
            let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
            if name.hasPrefix(Setting.variablePrefix) {
                environment[name] = value
            } else {
                flags.append(ConfigurationLoader.Flag(key: name, value: value, spelling: "--set \(name)"))
            }
        }
        do {
            try ConfigurationEntry.check(ConfigurationLoader(environment: environment, flags: flags).load())
            return true
        } catch let error as ConfigurationError {
            try ConfigurationEntry.check(error)
            return false
        }
    }
}
