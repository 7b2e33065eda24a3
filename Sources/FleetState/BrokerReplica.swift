public import PopupFleet
public import PopupJournal
import PopupProtocol
import PopupScheduling
import PopupState
import Synchronization

/// The state machine of a broker over a shared log: its batches are the journal's, its snapshots those of a journal.
///
/// It is a reference: all copies of a `Replica` share it.
public final class BrokerReplica: ReplicatedState, Sendable {
    private struct Content: ~Copyable {
        var state: BrokerState
        /// The effects, which are not used: a standby publishes nothing.
        var output = EventBuffer()

        init(_ state: consuming BrokerState) { self.state = state }

        mutating func advance(to time: Int64) {
            while state.advance(to: time, into: &output) { output.removeAll() }
        }
    }

    /// The version of the program: another one may refuse in other words, or decide otherwise.
    public static let rulesVersion = SnapshotDigest.rules(ofVersion: ProductVersion.current)

    /// The settings of a log whose batches have not said any.
    private static let settings = JournaledSettings(limits: Limits(), seed: 0)

    private let content: Mutex<Content>

    /// Creates the state of an empty log.
    public init() {
        content = Mutex(Content(BrokerState(Self.settings)))
    }

    /// Creates the state of a snapshot.
    ///
    /// - Throws: `EntryIsNewer` if it has what this version does not know; others if the bytes are not those of a broker's
    ///   snapshot.
    public init(snapshot: [UInt8]) throws {
        // The first settings of a journal begin a scheduler; before them, there was no batch.
        let sequence: UInt64 = try snapshot == BrokerReplica().snapshot() ? 0 : 1
        do {
            let state = try BrokerState.recover(
                from: JournalSnapshot(sequence: sequence, time: 0, state: snapshot), Self.settings
            ) { _, _ in }
            try state.requireKnownPolicies()
            content = Mutex(Content(state))
        } catch {
            throw BrokerReplica.newerContent(of: error) ?? error
        }
    }

    /// Returns what a replica throws for an error which says that a newer version has written the content; `nil` for others.
    private static func newerContent(of error: any Error) -> EntryIsNewer? {
        switch error {
        case let error as NewerContentError: EntryIsNewer(what: error.what)
        case let error as CommandLogError where error.unknownKind != nil: EntryIsNewer(what: "a part of a kind")
        case SnapshotError.version(let version) where version > Scheduler.stateVersion:
            EntryIsNewer(what: "a state of a format")
        default: nil
        }
    }

    /// The time of the next timer; `nil` for none.
    public var nextDeadline: Int64? { content.withLock { $0.state.scheduler.nextDeadline } }

    /// Handles the timers that are due at or before a time.
    public func advance(to time: Int64) { content.withLock { $0.advance(to: time) } }

    /// Applies a batch; the other entries say nothing to a broker.
    ///
    /// - Throws: `EntryIsNewer` if a command has what this version does not know; others if its commands cannot be read.
    public func apply(_ entry: LogEntry) throws {
        guard entry.kind == .batch else { return }
        let batch = JournalBatch(sequence: entry.index, time: entry.time, commands: entry.commands)
        do {
            try content.withLock { try $0.state.apply(batch, into: &$0.output, isStrict: true) }
        } catch {
            throw Self.newerContent(of: error) ?? error
        }
    }

    /// Returns the state as the bytes of a broker's snapshot.
    ///
    /// - Throws: If it cannot be encoded.
    public func snapshot() throws -> [UInt8] { try content.withLock { try $0.state.snapshot().state } }

    /// Returns the snapshot that a journal determines, of the latest time until which a broker has handled timers.
    ///
    /// - Parameter journal: A journal that is open.
    /// - Throws: The errors of the journal if it cannot be read; others if its content cannot be used.
    public static func snapshot(of journal: any Journal) throws -> JournalSnapshot {
        var state = try BrokerState.recover(from: journal.newestSnapshot(), settings) {
            try journal.replay(from: $0, $1)
        }
        state.record(time: TimeLimits.nearest(to: journal.recordedTime))
        return try state.snapshot()
    }
}
