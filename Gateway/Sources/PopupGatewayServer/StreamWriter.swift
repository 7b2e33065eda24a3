internal import NIOCore
internal import NIOHTTPTypes
internal import PopupGateway
internal import Synchronization

/// The writer of a stream to its connection: one piece at a time, each when the kernel has taken the one before it.
///
/// It works on the event loop of the connection, without a task: a message to 10,000 streams would resume as many.
final class StreamWriter: Sendable {
    private struct State: Sendable {
        /// Whether the kernel has not taken the last piece.
        var isWriting = false
        /// Whether `write` is running: a write that completes within it must not call it again.
        var isInWrite = false
        var end: CheckedContinuation<Void, any Error>?
    }

    private let stream: ResponseStream
    private let channel: any Channel
    /// Whether the event loop is about to call `write`.
    private let isScheduled = Atomic(false)
    private let state = Mutex(State())

    /// Creates the writer of a stream.
    init(_ stream: ResponseStream, to channel: any Channel) {
        self.stream = stream
        self.channel = channel
    }

    /// Writes the stream until it ends.
    ///
    /// - Throws: The error of a connection that takes no bytes any more.
    func run() async throws {
        defer { stream.close() }
        try await withCheckedThrowingContinuation { end in
            state.withLock { $0.end = end }
            // If the connection is closed already, `Departure` has ended the stream, and the write of the greeting fails.
            stream.open(cut: { self.channel.close(promise: nil) }, wake: wake)
            wake()
        }
    }

    @Sendable private func wake() {
        guard !isScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        channel.eventLoop.execute {
            self.isScheduled.store(false, ordering: .releasing)
            self.write()
        }
    }

    private func write() {
        let begins = state.withLock { state in
            guard !state.isWriting, !state.isInWrite, state.end != nil else { return false }
            state.isInWrite = true
            return true
        }
        guard begins else { return }
        defer { state.withLock { $0.isInWrite = false } }
        for _ in 0..<Self.piecesInTurn {
            switch stream.nextPiece() {
            case .nothing: return
            case .end: return finish(.success(()))
            case .bytes(let bytes): if !write(bytes) { return }
            }
        }
        // Others have their turn.
        wake()
    }

    /// Writes a piece. Returns whether the kernel has taken all of it; otherwise the stream goes on when it has.
    private func write(_ bytes: [UInt8]) -> Bool {
        state.withLock { $0.isWriting = true }
        channel.writeAndFlush(HTTPResponsePart.body(ByteBuffer(bytes: bytes))).whenComplete { result in
            switch result {
            case .success:
                self.stream.recordWritten()
                let isInWrite = self.state.withLock { state in
                    state.isWriting = false
                    return state.isInWrite
                }
                // Not here: NIO would go on with this connection as long as it takes bytes.
                if !isInWrite { self.wake() }
            // By then, `Departure` knows that the connection is closed, and why: NIO fails its writes before that.
            case .failure(let error): self.channel.eventLoop.execute { self.finish(.failure(error)) }
            }
        }
        return state.withLock { !$0.isWriting && $0.end != nil }
    }

    private func finish(_ result: Result<Void, any Error>) {
        let end = state.withLock { $0.end.take() }
        end?.resume(with: result)
    }

    /// The number of pieces of a stream that are written before other connections have their turn.
    private static let piecesInTurn = 4
}
