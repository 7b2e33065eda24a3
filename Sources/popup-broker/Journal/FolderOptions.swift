import ArgumentParser
import Foundation
import PopupConfiguration
import SQLiteJournal

/// Which data directory is meant.
struct FolderOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The data directory.", valueName: "folder"), completion: .directory)
    var folder: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The configuration file (or POPUP_BROKER_CONFIG).", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var config: String?

    /// The folder.
    ///
    /// - Throws: `ExitCode`, after it was said what is wrong.
    func dataDirectory() throws -> DataDirectory {
        if let folder { return DataDirectory(folder) }
        let environment = ProcessInfo.processInfo.environment
        let loader = ConfigurationLoader(
            file: config ?? environment[ConfigurationLoader.fileVariable], environment: environment)
        do throws(ConfigurationError) {
            let configuration = try loader.load().configuration
            if let folder = DataDirectory.named(by: configuration, environment: environment) { return folder }
        } catch {
            for problem in error.problems { StandardError.write("popup-broker: \(problem)") }
            throw ExitCode.configuration
        }
        throw ValidationError(
            "the configuration names no data directory, nor a port that it could belong to; give one.")
    }

    /// Does something with the folder, and tells what went wrong.
    func use(_ body: (DataDirectory) throws -> Void) throws {
        let folder = try dataDirectory()
        do {
            try body(folder)
        } catch let error as SQLiteJournalError {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode(error)
        }
    }
}
