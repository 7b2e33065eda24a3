internal import FleetState
internal import Foundation
public import Logging
internal import PopupFleet
public import PopupJournal
internal import SQLiteJournal

/// The way of a broker's state between a shared log and a data directory.
public enum LogExport {
    /// Writes what a log determines into a data directory, from which a broker without a fleet goes on.
    ///
    /// The directory is there as a whole or not at all: it is made beside its place, in `PATH.partial`. What an earlier export
    /// has left there is removed; anything else is not.
    ///
    /// - Returns: The head of the log that was written.
    /// - Throws: `SharedLogError`, `ExportError`, or the errors of the files. What is damaged and not needed is told to the
    ///   logger.
    public static func write(_ log: any SharedLog, to path: String, logger: Logger) async throws -> LogHead {
        guard PartialDirectory.isFree(path) else { throw ExportError.notEmpty(path) }
        var replica = Replica<BrokerReplica>()
        let damage = try await restore(&replica, from: log, logger)
        // After that, so that it is not an earlier one.
        guard let head = try await log.head() else { throw SharedLogError.missing }
        while replica.index < head.index {
            let entries = try await log.entries(in: replica.index + 1...head.index)
            guard !entries.isEmpty else { throw damage ?? ExportError.shortened }
            for entry in entries {
                guard try replica.apply(entry) else { throw SharedLogError.unreadable(.damaged) }
            }
        }
        try replica.follow(head)
        let directory = path.hasSuffix("/") ? String(path.dropLast()) : path
        let partial = try PartialDirectory(for: directory)
        try write(replica, head, to: partial.content, logger: logger)
        try partial.move(to: directory)
        return head
    }

    /// Returns the snapshot that a data directory determines, which no broker may have open.
    ///
    /// - Returns: The snapshot and the epoch of its opening, which is greater than all before. What is damaged is told to
    ///   the logger, and is missing, as for a broker that starts.
    /// - Throws: The errors of the journal.
    public static func read(_ path: String, logger: Logger) throws -> LogSnapshot {
        // Opening a directory makes one.
        _ = try JournalInspection(directory: DataDirectory(path))
        let journal = SQLiteJournal(directory: DataDirectory(path), durability: .full, logger: logger)
        let opening = try journal.open()
        for finding in opening.findings {
            logger.critical("the journal is not as it was written", metadata: ["finding": "\(finding)"])
        }
        do {
            let snapshot = try BrokerReplica.snapshot(of: journal)
            try journal.close()
            return LogSnapshot(
                index: max(1, snapshot.sequence), epoch: opening.epoch, time: snapshot.time, chain: 0,
                state: snapshot.state)
        } catch {
            try? journal.close()
            throw error
        }
    }

    /// Goes on from the newest snapshot that is whole, if there is one. Returns what is wrong if there are only others: the
    /// entries from the first on may be there nevertheless.
    private static func restore(
        _ replica: inout Replica<BrokerReplica>, from log: any SharedLog, _ logger: Logger
    ) async throws -> SharedLogError? {
        do {
            let newest = try await log.newestReadableSnapshot()
            if let snapshot = newest.snapshot { try replica.restore(snapshot) }
            if let damage = newest.damage {
                logger.warning(
                    "the newest snapshot cannot be read: an older one is exported with the entries after it",
                    metadata: ["entry": "\(replica.index)", "reason": "\(damage)"])
            }
            return nil
        } catch let damage as SharedLogError {
            guard case .unreadable = damage else { throw damage }
            return damage
        }
    }

    private static func write(
        _ replica: Replica<BrokerReplica>, _ head: LogHead, to path: String, logger: Logger
    ) throws {
        // Later openings have greater epochs than this one, and so than the log: clients follow the greatest.
        let epoch = Int64(clamping: head.epoch) + 1
        let journal = SQLiteJournal(
            directory: DataDirectory(path), durability: .full,
            options: SQLiteJournal.Options(now: { max(WallClock.now(), epoch) }), logger: logger)
        _ = try journal.open()
        do {
            let state = try replica.state.snapshot()
            // Two snapshots, as always: a start uses the first if the second is damaged. A batch without commands
            // precedes each.
            for _ in 0..<2 {
                let empty: [UInt8] = []
                let sequence = try journal.append(empty.span.bytes, at: replica.time)
                try journal.archive?.keep(JournalSnapshot(sequence: sequence, time: replica.time, state: state))
            }
            // Until then, an owner may have handled timers, and have told so.
            journal.record(time: head.horizon)
            try journal.close()
        } catch {
            try? journal.close()
            throw error
        }
    }
}

/// The reason why a log is not exported.
public enum ExportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is something where the data directory is to be.
    case notEmpty(String)
    /// The directory is made, and cannot be moved to its place.
    case notMoved(from: String, to: String)
    /// The directory is in its place, and may not be there any more after a power cut.
    case notDurable(String)
    /// Entries were removed while they were read.
    case shortened

    /// One sentence that says what is wrong.
    public var description: String {
        switch self {
        case .notEmpty(let path): "there is something in \(path) already"
        case .notMoved(let from, let to): "\(from) cannot be moved to \(to)"
        case .notDurable(let path):
            "\(path) is written, but the directory that contains it cannot be synchronized with the disk"
        case .shortened: "entries of the log were removed while they were read; try again"
        }
    }
}
