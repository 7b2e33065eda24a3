import ArgumentParser
import Foundation
import PopupConfiguration

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check a configuration file and print the resulting configuration.",
        discussion: """
            Prints the configuration that `run` would use with this file, this environment and these options, each value \
            with the place where it was set. Exits with 78 after a list of all mistakes.
            """)

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @OptionGroup
    var overrides: OverrideOptions

    func run() throws {
        let loader = ConfigurationLoader(
            file: file, environment: ProcessInfo.processInfo.environment, flags: overrides.flags)
        do throws(ConfigurationError) {
            let loaded = try loader.load()
            for warning in loaded.warnings { StandardError.write("popup-broker: \(warning)") }
            print(loaded.listing(), terminator: "")
        } catch {
            for problem in error.problems { StandardError.write("popup-broker: \(problem)") }
            throw ExitCode.configuration
        }
    }
}
