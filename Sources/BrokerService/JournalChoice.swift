import Foundation
import Logging
import PopupBroker
public import PopupConfiguration
import PopupJournal
public import SQLiteJournal

/// The journal that a configuration selects.
struct JournalChoice {
    private let settings: Journaling
    private let directory: DataDirectory?
    private let logger: Logger

    init(_ configuration: Configuration, environment: [String: String], logger: Logger) {
        settings = configuration.journal
        directory = DataDirectory.named(by: configuration, environment: environment)
        self.logger = logger
    }

    /// Logs the durability and the data directory.
    func log() {
        if settings.durability == .memory {
            logger.info("journal", metadata: ["durability": "memory"])
            if !settings.directory.isEmpty {
                logger.warning(
                    "durability is `memory`: the data directory is neither read nor written",
                    metadata: ["directory": "\(settings.directory)"])
            }
        } else if let directory {
            logger.info(
                "journal",
                metadata: ["directory": "\(directory.path)", "durability": "\(settings.durability.rawValue)"])
        } else {
            logger.warning(
                """
                a broker on a free port has no data directory of its own: accepted commands are lost when this process ends; \
                name a directory with --data-dir, or use --durability memory
                """)
        }
    }

    /// Returns the journal, which is not open yet.
    ///
    /// - Parameter isReported: Whether everything that was logged as critical is written.
    func journal(isReported: @escaping @Sendable () -> Bool) -> any Journal {
        let durability: SQLiteJournal.Durability
        switch settings.durability {
        case .full: durability = .full
        case .normal: durability = .normal
        case .memory: return Self.inMemory()
        }
        guard let directory else {
            return Self.inMemory()
        }
        var options = SQLiteJournal.Options(
            segmentBytes: settings.segmentBytes, snapshotBytes: settings.segmentBytes)
        options.isReported = isReported
        return SQLiteJournal(directory: directory, durability: durability, options: options, logger: logger)
    }

    /// Returns a journal in memory. Its epoch is the time, so that it is greater than that of an earlier process.
    private static func inMemory() -> MemoryJournal {
        MemoryJournal(firstEpoch: UInt64(Date.now.timeIntervalSince1970 * 1000))
    }
}

extension DataDirectory {
    /// Returns the data directory of a configuration: the one that it names, or the one that belongs to the ingress
    /// endpoint; `nil` for a free port.
    public static func named(by configuration: Configuration, environment: [String: String]) -> DataDirectory? {
        if !configuration.journal.directory.isEmpty { return DataDirectory(configuration.journal.directory) }
        // systemd.exec(5): the directories of StateDirectory=, separated by colons.
        if let directory = environment["STATE_DIRECTORY"]?.split(separator: ":").first {
            return DataDirectory(String(directory))
        }
        guard let name = name(of: configuration.broker.endpoints.ingress) else { return nil }
        return DataDirectory("\(stateDirectory(environment))/popup-broker/\(name)")
    }

    /// Returns the state directory of the user: XDG Base Directory Specification, `XDG_STATE_HOME`.
    private static func stateDirectory(_ environment: [String: String]) -> String {
        if let directory = environment["XDG_STATE_HOME"], directory.hasPrefix("/") { return directory }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/state"
    }

    /// Returns the name for an endpoint: `127.0.0.1-5570` for `tcp://127.0.0.1:5570`.
    private static func name(of endpoint: String) -> String? {
        guard !endpoint.hasSuffix(":*"), !endpoint.hasSuffix(":0") else { return nil }
        let address = endpoint.split(separator: "://", maxSplits: 1).last ?? ""
        let name = address.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" }
        return String(name.drop { $0 == "-" || $0 == "." })
    }
}
