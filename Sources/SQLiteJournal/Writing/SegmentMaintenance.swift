import Dispatch
import Logging
import Synchronization

/// The work on segments that no append waits for: a thread of the system's pool makes the next one ahead and seals the
/// one before, one task at a time.
final class SegmentMaintenance: Sendable {
    private enum Next {
        case none
        case underWay
        case ready
    }

    private let state: JournalState
    // Noted in each segment of this opening: what is noted must outlive the segments before.
    private let opening: Opening
    private let missing: [ClosedRange<UInt64>]
    private let logger: Logger
    private let queue = DispatchQueue(label: "popup-broker.journal", qos: .utility)
    private let next = Mutex(Next.none)
    // Segments that could not be sealed, for want of room or because somebody read them: tried again with the next.
    private let unsealed = Mutex<Set<String>>([])
    // Segments that earlier processes have left unsealed.
    private let left: Mutex<[String]>

    private let isWaitedFor: Bool

    /// - Parameters:
    ///   - left: the paths of segments that earlier processes may have left unsealed, oldest first.
    ///   - isWaitedFor: each task is done when it has been begun, so that what threads do is the same each time.
    init(
        _ state: JournalState, opening: Opening, missing: [ClosedRange<UInt64>], left: [String], isWaitedFor: Bool,
        logger: Logger
    ) {
        self.left = Mutex(left)
        self.isWaitedFor = isWaitedFor
        self.state = state
        self.opening = opening
        self.missing = missing
        self.logger = logger
    }

    /// Has the next segment's file made, unless it is.
    func prepare() {
        let isNeeded = next.withLock { next in
            guard case .none = next else { return false }
            next = .underWay
            return true
        }
        guard isNeeded else { return }
        perform { [self] in
            do {
                try state.presence.checkFolder()
                try Segment.make(state.folder.prepared, openings: [opening], missing: missing)
                next.withLock { $0 = .ready }
            } catch {
                logger.warning("cannot prepare the next segment", metadata: ["error": "\(error)"])
                next.withLock { $0 = .none }
            }
        }
    }

    /// Gives the next segment its name: the file that was made ahead, or else one that is made now.
    func begin(_ path: String) throws {
        let isReady = next.withLock { next in
            guard case .ready = next else { return false }
            next = .none
            return true
        }
        let made = isReady ? state.folder.prepared : state.folder.beginning
        if !isReady { try Segment.make(made, openings: [opening], missing: missing) }
        try Segment.remove(path)
        try Files.rename(made, to: path)
    }

    /// Has a segment sealed that is appended to no more.
    func seal(_ segment: Segment) {
        seal(segment.path) { try segment.seal() }
    }

    /// Has the segments sealed that earlier processes have left. Call it when they have been replayed: a segment is not
    /// read while it is sealed, and a start does not wait for that.
    func sealLeft() {
        let paths = left.withLock { left in
            defer { left = [] }
            return left
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
            try state.files.hold(body)
            unsealed.withLock { _ = $0.remove(path) }
        } catch {
            // Nothing is lost: its batches stay in its WAL.
            let isNew = unsealed.withLock { $0.insert(path).inserted }
            guard isNew else { return }
            logger.warning("cannot seal a segment yet", metadata: ["file": "\(path)", "error": "\(error)"])
        }
    }

    private func perform(_ task: @escaping @Sendable () -> Void) {
        if isWaitedFor { queue.sync(execute: task) } else { queue.async(execute: task) }
    }

    /// Waits until all of it is done.
    func finish() {
        queue.sync {}
    }
}
