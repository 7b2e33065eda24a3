import Foundation
public import PopupBroker
public import PopupConfiguration
import PopupJournal
import PopupProtocol
import SQLiteJournal
import SystemCalls
import ZeroMQ

/// A broker as a process runs it: with a configuration file, sockets, a data directory, a log on standard error and
/// signals. It is all that `popup-broker run` does, for programs with plugins of their own.
///
///     let service = BrokerService(name: "house-broker", configuration: .ofProcess(file: "house.yaml"))
///     exit(await service.run(plugins: [DisplayTimeRequired()]).rawValue)
public struct BrokerService: Sendable {
    private let name: String
    private let loader: ConfigurationLoader
    private let streams: StandardStreams?

    /// Creates a service that does not run yet.
    ///
    /// - Parameters:
    ///   - name: The name of the program, with which the line on standard output and its messages begin.
    ///   - configuration: The sources of the configuration. They are read when the service starts, and at each SIGHUP.
    ///   - streams: Standard output and standard error, if the program writes to them itself; `nil`: the service makes them.
    public init(name: String, configuration: ConfigurationLoader, streams: StandardStreams? = nil) {
        self.name = name
        loader = configuration
        self.streams = streams
    }

    /// Runs the broker until SIGTERM or SIGINT. Call it once in a process, before anything opens files: it sets what
    /// signals do and takes standard output and standard error.
    ///
    /// When commands are accepted, it writes `NAME ready ingress=… egress=… epoch=…` on standard output. On SIGHUP it
    /// reads the configuration again; a configuration with mistakes changes nothing.
    ///
    /// - Parameters:
    ///   - plugins: Called in this order, after those for the `defaults` and `quotas` of the configuration.
    ///   - shared: The journal of a fleet; `nil`: the one that the configuration selects.
    /// - Returns: The status for `exit`. The reason of one that is not `success` is written on standard error.
    public func run(
        plugins: sending [any BrokerPlugin] = [], on shared: sending SharedJournal? = nil
    ) async -> ExitStatus {
        // A file that may not grow is a full disk: refused, not a reason to die.
        signal(SIGXFSZ, SIG_IGN)
        let streams: StandardStreams
        do {
            streams = try self.streams ?? StandardStreams(program: name)
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("\(name): \(error)\n".utf8))
            return .software
        }
        defer { streams.flush() }
        FreeMemory.configure()
        do {
            let loaded = try loader.load()
            streams.change(to: loaded.configuration.log)
            let process = BrokerProcess(
                name: name, loader: loader, loaded: loaded, environment: ProcessInfo.processInfo.environment,
                streams: streams)
            try await process.run(plugins: plugins, on: shared)
            return .success
        } catch let error as ConfigurationError {
            for problem in error.problems { streams.fail("\(problem)") }
            return .configuration
        } catch let error as CommandRefusal {
            streams.fail(error.detail)
            return .configuration
        } catch let error as SQLiteJournalError {
            streams.fail("\(error)")
            return ExitStatus(error)
        } catch let lost as JournalLost {
            streams.fail("\(lost)")
            return .overtaken
        } catch let failure as KeyFile.Failure {
            streams.fail("\(failure)")
            return ExitStatus(failure)
        } catch let error as ZeroMQError {
            streams.fail("\(error)")
            return .unavailable
        } catch {
            streams.fail("\(error)")
            return .software
        }
    }
}

extension ConfigurationLoader {
    /// Returns a loader for a file, the environment of the process and values of its command line.
    ///
    /// - Parameters:
    ///   - file: The path; `nil`: the one in the variable `POPUP_BROKER_CONFIG`, or no file.
    ///   - flags: The values of the command line, which override the file and the environment.
    public static func ofProcess(file: String?, flags: [Flag] = []) -> ConfigurationLoader {
        let environment = ProcessInfo.processInfo.environment
        return ConfigurationLoader(file: file ?? environment[fileVariable], environment: environment, flags: flags)
    }
}
