import ArgumentParser
import BrokerService
import PopupConfiguration

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the broker until SIGTERM or SIGINT.",
        discussion: """
            Prints one line on standard output when it is ready for commands, with the endpoints that it has bound, and logs \
            to standard error. On SIGHUP it reads the configuration again. Without a configuration file it uses the \
            defaults; check-config lists all settings. `popup-broker --help` lists exit codes, files and variables.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The configuration file; also POPUP_BROKER_CONFIG in the environment.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @OptionGroup
    var overrides: OverrideOptions

    func run() async throws {
        let loader = ConfigurationLoader.ofProcess(file: config, flags: overrides.flags)
        let status = await BrokerService(name: "popup-broker", configuration: loader).run()
        if status != .success { throw ExitCode(status) }
    }
}
