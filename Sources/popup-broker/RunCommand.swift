import ArgumentParser
import Foundation
import PopupBroker
import PopupConfiguration
import PopupProtocol
import SQLiteJournal
import ZeroMQ

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the broker until SIGTERM or SIGINT.",
        discussion: """
            Prints one line on standard output when it is ready for commands, with the endpoints that it has bound, and logs \
            to standard error. On SIGHUP it reads the configuration again. Without a configuration file it uses the \
            defaults; check-config lists all settings.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The configuration file; also POPUP_BROKER_CONFIG in the environment.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    @OptionGroup
    var overrides: OverrideOptions

    func run() async throws {
        // A log that nobody reads any more is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow is a full disk: refused, not a reason to die.
        signal(SIGXFSZ, SIG_IGN)
        let streams: StandardStreams
        do {
            streams = try StandardStreams()
        } catch {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode.software
        }
        defer { streams.flush() }
        FreeMemory.configure()
        let environment = ProcessInfo.processInfo.environment
        let loader = ConfigurationLoader(
            file: config ?? environment[ConfigurationLoader.fileVariable], environment: environment,
            flags: overrides.flags)
        do {
            let loaded = try loader.load()
            streams.change(to: loaded.configuration.log)
            try await BrokerProcess(loader: loader, loaded: loaded, environment: environment, streams: streams).run()
        } catch let error as ConfigurationError {
            for problem in error.problems { streams.fail("\(problem)") }
            throw ExitCode.configuration
        } catch let error as CommandRefusal {
            streams.fail(error.detail)
            throw ExitCode.configuration
        } catch let error as SQLiteJournalError {
            streams.fail("\(error)")
            throw ExitCode(error)
        } catch let failure as KeyFile.Failure {
            streams.fail("\(failure)")
            throw ExitCode(failure)
        } catch let error as ZeroMQError {
            streams.fail("\(error)")
            throw ExitCode.unavailable
        } catch {
            streams.fail("\(error)")
            throw ExitCode.software
        }
    }
}
