import Dispatch
import Logging
import Synchronization

/// The work on segments that no append waits for: a thread of the system's pool prepares the next segment and seals the
/// previous one, one task at a time.
final class SegmentMaintenance: Sendable {
    private enum Next {
        case none
        case underWay
        case ready(hasReservedWAL: Bool)
    }

    private let state: JournalState
    // Written to each segment of this opening, since it must outlive the earlier segments.
    private let opening: Opening
    private let missing: [ClosedRange<UInt64>]
    private let logger: Logger
    private let queue = DispatchQueue(label: "popup-broker.journal", qos: .utility)
    private let writeback = EarlyWriteback()
    private let next = Mutex(Next.none)
    // Segments that could not be sealed, because the disk was full or a reader was open. They are sealed with the next.
    private let unsealed = Mutex<Set<String>>([])
    // Segments that earlier processes have left unsealed.
    private let inherited: Mutex<[String]>
    // Used by the tasks only, of which one runs at a time.
    private let walReserve: Mutex<WALReserve>
    // The part of the reserve that is wanted by now, in bytes, and whether a task waits that will write up to it.
    private let due = Mutex((bytes: 0, isQueued: false))

    /// The size of the WAL that a prepared segment gets, in bytes; 0 for none.
    let reservedBytes: Int
    private let isSynchronous: Bool

    /// Creates the maintenance of an open journal.
    ///
    /// - Parameters:
    ///   - opening: The opening that each new segment records.
    ///   - missing: The batches, reported as missing, that each new segment records.
    ///   - inherited: The paths of segments that earlier processes may have left unsealed, oldest first.
    ///   - reservedBytes: The size of the WAL that a prepared segment gets, in bytes; 0 for none.
    ///   - isSynchronous: Whether a task ends before the call that starts it, so that a run is deterministic.
    init(
        _ state: JournalState, opening: Opening, missing: [ClosedRange<UInt64>], inherited: [String],
        reservedBytes: Int, isSynchronous: Bool, logger: Logger
    ) {
        self.inherited = Mutex(inherited)
        walReserve = Mutex(WALReserve(path: state.directory.walReserve, bytes: reservedBytes))
        self.reservedBytes = reservedBytes
        self.isSynchronous = isSynchronous
        self.state = state
        self.opening = opening
        self.missing = missing
        self.logger = logger
    }

    /// Starts to prepare the files of the next segment, unless they are prepared.
    func prepare() {
        let isNeeded = next.withLock { next in
            guard case .none = next else { return false }
            next = .underWay
            return true
        }
        guard isNeeded else { return }
        perform { [self] in
            do {
                try state.presence.checkDirectory()
                try Segment.make(state.directory.prepared, openings: [opening], missing: missing)
                let hasReservedWAL = giveReserve()
                next.withLock { $0 = .ready(hasReservedWAL: hasReservedWAL) }
            } catch {
                logger.warning("cannot prepare the next segment", metadata: ["error": "\(error)"])
                next.withLock { $0 = .none }
                // The disk may be full: commits need the space.
                walReserve.withLock { $0.remove() }
            }
        }
    }

    /// Starts to write the WAL of the next segment in advance, up to an offset.
    func reserve(upTo bytes: Int) {
        let isNeeded = due.withLock { due in
            guard bytes > due.bytes else { return false }
            due.bytes = bytes
            guard !due.isQueued else { return false }
            due.isQueued = true
            return true
        }
        guard isNeeded else { return }
        perform { [self] in
            let bytes = due.withLock { due in
                due.isQueued = false
                return due.bytes
            }
            // Once the next segment is being prepared, `prepare` completes the reserve.
            if case .none = next.withLock({ $0 }) { writeReserve(upTo: bytes) }
        }
    }

    private func writeReserve(upTo bytes: Int) {
        // The files of another journal must not be touched, which may have replaced this one. The next append reports that.
        guard (try? state.presence.checkDirectory()) != nil else { return }
        do throws(SQLiteJournalError) {
            try walReserve.withLock { reserve throws(SQLiteJournalError) in
                try reserve.write(upTo: bytes) { state.isOpen.load(ordering: .acquiring) }
            }
        } catch {
            // The segment can be used without. There is one more attempt when it is prepared.
            due.withLock { $0.bytes = .max }
            logger.warning("cannot write the next WAL in advance", metadata: ["error": "\(error)"])
        }
    }

    /// Starts to remove the reserve, whose space commits may need.
    func dropReserve() {
        perform { [self] in walReserve.withLock { $0.remove() } }
    }

    /// Completes the reserve, and gives it to the prepared segment. Returns whether it has such a WAL now.
    private func giveReserve() -> Bool {
        writeReserve(upTo: .max)
        do throws(SQLiteJournalError) {
            return try walReserve.withLock { reserve throws(SQLiteJournalError) in
                try reserve.give(to: state.directory.prepared)
            }
        } catch {
            logger.warning("cannot use the WAL that was written in advance", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// Whether the next segment is prepared, with a WAL that does not grow.
    var hasReservedWAL: Bool {
        next.withLock { next in
            guard case .ready(let hasReservedWAL) = next else { return false }
            return hasReservedWAL
        }
    }

    /// Renames the prepared files to those of the next segment, or creates one now.
    func begin(_ path: String) throws {
        let isReady = next.withLock { next in
            guard case .ready = next else { return false }
            next = .none
            return true
        }
        due.withLock { $0.bytes = 0 }
        let made = isReady ? state.directory.prepared : state.directory.beginning
        if !isReady { try Segment.make(made, openings: [opening], missing: missing) }
        try Segment.remove(path)
        // The database first: a WAL without one would be damage. An inspection that opens the segment between the two calls may
        // report damage by mistake.
        try Files.rename(made, to: path)
        do {
            if Files.exists(made + WAL.suffix) { try Files.rename(made + WAL.suffix, to: path + WAL.suffix) }
        } catch {
            // The former segment goes on: none may begin in the middle of it.
            try? Segment.remove(path)
            throw error
        }
    }

    /// Starts to seal a segment to which nothing is appended any more.
    func seal(_ segment: Segment) {
        seal(segment.path) { [self] in
            guard state.isOpen.load(ordering: .acquiring), (try? state.presence.checkDirectory()) != nil else {
                return try segment.seal()
            }
            try walReserve.withLock { try $0.keepWAL(of: segment.path) { try segment.seal(keepsWAL: $0) } }
        }
    }

    /// Starts to seal the segments that earlier processes have left. Call it after their replay: a segment is not read
    /// while it is sealed, and a start does not wait for that.
    func sealInherited() {
        let paths = inherited.withLock { inherited in
            defer { inherited = [] }
            return inherited
        }
        for path in paths { seal(path) { try Segment.seal(path) } }
    }

    private func seal(_ path: String, _ body: @escaping @Sendable () throws -> Void) {
        perform { [self] in
            for path in unsealed.withLock({ $0 }) { sealNow(path) { try Segment.seal(path) } }
            sealNow(path, body)
        }
    }

    private func sealNow(_ path: String, _ body: () throws -> Void) {
        do {
            try state.files.hold { try writeback.run(of: path, while: body) }
            unsealed.withLock { _ = $0.remove(path) }
        } catch {
            // Nothing is lost: the batches stay in the WAL.
            let isNew = unsealed.withLock { $0.insert(path).inserted }
            guard isNew else { return }
            logger.warning("cannot seal a segment yet", metadata: ["file": "\(path)", "error": "\(error)"])
        }
    }

    private func perform(_ task: @escaping @Sendable () -> Void) {
        if isSynchronous { queue.sync(execute: task) } else { queue.async(execute: task) }
    }

    /// Waits until all tasks have ended, and removes the files that no segment has used.
    func finish() throws(SQLiteJournalError) {
        queue.sync {}
        // Another broker may have replaced the directory.
        try state.presence.checkDirectory()
        walReserve.withLock { $0.remove() }
        try Segment.remove(state.directory.prepared)
    }
}
