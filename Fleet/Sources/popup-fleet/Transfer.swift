internal import ArgumentParser
internal import EtcdLog
internal import FleetService
internal import Foundation
internal import Logging
internal import PopupFleet
internal import PopupJournal

/// The command that writes the state of a shard as a data directory.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the state of a shard as a data directory, from which `popup-broker run` goes on.",
        discussion:
            "A backup, and the way back to a single broker. The shard is not changed: stop its nodes first if the "
            + "broker is to take their place.")
    @OptionGroup var options: LogOptions
    @Option(help: "The data directory, which must not exist or be empty.")
    var to: String

    func run() async throws {
        try await options.withLog { log in
            let head = try await LogExport.write(log, to: to, logger: Transfer.logger)
            print("exported entry \(head.index) of epoch \(head.epoch) to \(to)")
        }
    }
}

/// The command that creates a shard with the state of a data directory.
struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create the log of a shard with the state of a data directory, which no broker has open.")
    @OptionGroup var options: LogOptions
    @Argument(help: "The data directory of `popup-broker run`. Its batches stay as they are.")
    var directory: String
    @Flag(help: ArgumentHelp(CreationClock.forceHelp))
    var force = false

    func run() async throws {
        try await options.withLog { log in
            try CreationClock.check(SystemClocks.moment().wall, isForced: force)
            try await log.check(isCreated: false)
            let snapshot = try LogExport.read(directory, logger: Transfer.logger)
            var random = SystemRandomNumberGenerator()
            try await log.create(from: snapshot, by: LogOwner(high: random.next(), low: random.next()))
            print(
                "imported \(directory) as entry \(snapshot.index) of epoch \(snapshot.epoch), "
                    + "\(CreationClock.date(ofEpoch: snapshot.epoch))")
        }
    }
}

/// The parts of both commands.
enum Transfer {
    /// Damage is told on the standard error.
    static var logger: Logger {
        var logger = Logger(label: "popup-fleet") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }
}
