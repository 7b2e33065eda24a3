import ArgumentParser
import BrokerService
import Foundation
import PopupConfiguration
import SQLiteJournal

/// The options that name a data directory.
struct DirectoryOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The data directory.", valueName: "directory"), completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp("The data directory, in the form of `run`.", valueName: "directory"), completion: .directory)
    var dataDir: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The configuration file; also POPUP_BROKER_CONFIG in the environment.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    func validate() throws {
        if directory != nil, dataDir != nil {
            throw ValidationError("Give the data directory once, as an argument or with --data-dir.")
        }
    }

    /// Returns the directory.
    ///
    /// - Throws: `ExitCode`, after it has printed what is wrong.
    func dataDirectory() throws -> DataDirectory {
        if let directory = directory ?? dataDir { return DataDirectory(directory) }
        let environment = ProcessInfo.processInfo.environment
        let loader = ConfigurationLoader(
            file: config ?? environment[ConfigurationLoader.fileVariable], environment: environment)
        do throws(ConfigurationError) {
            let configuration = try loader.load().configuration
            if let directory = DataDirectory.named(by: configuration, environment: environment) { return directory }
        } catch {
            for problem in error.problems { StandardError.write("popup-broker: \(problem)") }
            throw ExitCode.configuration
        }
        throw ValidationError(
            "the configuration names neither a data directory nor a fixed port that one would belong to; name a directory."
        )
    }

    /// Calls `body` with the directory, and prints its error.
    func use(_ body: (DataDirectory) throws -> Void) throws {
        let directory = try dataDirectory()
        do {
            try body(directory)
        } catch let error as SQLiteJournalError {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode(error)
        }
    }
}
