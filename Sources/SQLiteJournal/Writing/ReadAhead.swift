import Dispatch
import PopupJournal
import Synchronization
import SystemCalls

/// Batches that a thread reads while the thread that wants them applies those before:
///
///     reading thread:  read, verify ──▶ portions ──▶ apply, this thread
final class ReadAhead: Sendable {
    /// The bytes of commands, and the number of batches, from which a portion is handed over. A portion costs two signals
    /// between the threads.
    private static let portionBytes = 1 << 20
    private static let portionBatches = 4096
    /// The portions that are read before their turn.
    private static let portions = 4

    private struct Batch: Sendable {
        var sequence: UInt64
        var time: Int64
        var commands: [UInt8]
    }

    private struct State: Sendable {
        var portions: [[Batch]] = []
        /// The result of the reading; `nil` while it continues.
        var end: Result<Void, any Error>?
        var isCancelled = false
    }

    private let state = Mutex(State())
    /// Signalled for each portion, and for the end.
    private let filled = DispatchSemaphore(value: 0)
    /// Signalled for each portion that may be read.
    private let wanted = DispatchSemaphore(value: 0)

    private init() {
        for _ in 0..<Self.portions { wanted.signal() }
    }

    /// Calls `body` on this thread with the batches that `read` finds on another one.
    ///
    /// - Parameters:
    ///   - read: Calls its argument with each batch, in order. It has ended when `run` returns.
    ///   - body: Applies a batch.
    /// - Throws: The errors of `body`, which end the reading; those of `read`, after the batches before; `ThreadError`.
    static func run(
        read: @escaping @Sendable ((borrowing JournalBatch) throws -> Void) throws -> Void,
        _ body: (borrowing JournalBatch) throws -> Void
    ) throws {
        let ahead = ReadAhead()
        try DedicatedThread.start { ahead.read(read) }
        var failure: (any Error)?
        while true {
            switch ahead.next() {
            case .portion(let batches):
                defer { ahead.wanted.signal() }
                guard failure == nil else { continue }
                do {
                    for batch in batches {
                        try body(JournalBatch(sequence: batch.sequence, time: batch.time, commands: batch.commands))
                    }
                } catch {
                    failure = error
                    ahead.state.withLock { $0.isCancelled = true }
                }
            case .end(let result):
                if let failure { throw failure }
                return try result.get()
            }
        }
    }

    // MARK: The thread that reads

    private func read(_ read: @Sendable ((borrowing JournalBatch) throws -> Void) throws -> Void) {
        var portion: [Batch] = []
        var bytes = 0
        let result = Result {
            try read { batch in
                portion.append(Batch(sequence: batch.sequence, time: batch.time, commands: batch.commands))
                bytes += batch.commands.count
                guard bytes >= Self.portionBytes || portion.count >= Self.portionBatches else { return }
                try put(portion)
                portion.removeAll(keepingCapacity: true)
                bytes = 0
            }
        }
        // What was read before a failure counts.
        let last = Result { try portion.isEmpty ? () : put(portion) }
        state.withLock { $0.end = result.flatMap { last } }
        filled.signal()
    }

    private func put(_ portion: [Batch]) throws(ReadingCancelled) {
        wanted.wait()
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.portions.append(portion) }
            return state.isCancelled
        }
        if isCancelled { throw ReadingCancelled() }
        filled.signal()
    }

    // MARK: The thread that applies

    private enum Step {
        case portion([Batch])
        case end(Result<Void, any Error>)
    }

    private func next() -> Step {
        filled.wait()
        return state.withLock { state in
            state.portions.isEmpty ? .end(state.end ?? .success(())) : .portion(state.portions.removeFirst())
        }
    }
}

/// The error that ends a reading whose batches are not wanted any more.
private struct ReadingCancelled: Error {}
