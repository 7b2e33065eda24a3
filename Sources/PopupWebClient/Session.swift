import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The connections of a client for single requests.
struct Session: Sendable {
    private let session: URLSession
    /// The time in seconds without an answer after which a request fails.
    let timeout: Double

    init(timeout: Duration) {
        self.timeout = timeout / .seconds(1)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
    }

    /// Sends a request, and returns the whole answer.
    ///
    /// - Throws: `WebClientError.unreachable`, `CancellationError`.
    func answer(to request: URLRequest) async throws -> (status: Int, bytes: [UInt8]) {
        do {
            let (data, response) = try await session.data(for: request)
            return ((response as? HTTPURLResponse)?.statusCode ?? 0, Array(data))
        } catch {
            try Task.checkCancellation()
            throw WebClientError.unreachable(error.localizedDescription)
        }
    }
}

/// A part of a response that does not end.
enum WebArrival: Sendable {
    /// The head.
    case head(status: Int, contentType: String)
    /// A piece of the body.
    case bytes([UInt8])
}

/// One connection of a stream. It ends when its reader ends.
final class WebConnection: Sendable {
    /// The parts of the response. They end with `WebClientError.unreachable` if the connection breaks, or is silent for
    /// too long.
    let arrivals: AsyncThrowingStream<WebArrival, any Error>
    private let delegate: Delegate

    /// Opens a connection.
    init(_ request: URLRequest) {
        let (arrivals, continuation) = AsyncThrowingStream.makeStream(
            of: WebArrival.self, bufferingPolicy: .bufferingOldest(Self.unreadPieces))
        self.arrivals = arrivals
        delegate = Delegate(continuation)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // The session holds its delegate until it is invalidated.
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        let task = session.dataTask(with: request)
        continuation.onTermination = { _ in
            task.cancel()
            session.finishTasksAndInvalidate()
        }
        task.resume()
    }

    /// The maximum number of pieces that are not read yet. One more ends the connection: all states come again with the
    /// next one.
    private static let unreadPieces = 4096

    /// Sets the silence after which the connection ends.
    func allow(silence: Duration) { delegate.heard.withLock { $0.silence = silence } }

    /// Waits until nothing has arrived for too long, and ends the connection. Returns early if the task is cancelled.
    func endAfterSilence() async {
        while !Task.isCancelled {
            let left = delegate.heard.withLock { $0.silence - $0.last.duration(to: .now) }
            guard left > .zero else {
                return delegate.arrivals.finish(throwing: WebClientError.unreachable("it has been silent for too long"))
            }
            try? await Task.sleep(for: left)
        }
    }

    private final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
        let arrivals: AsyncThrowingStream<WebArrival, any Error>.Continuation
        let heard = Mutex((last: ContinuousClock.now, silence: Duration.seconds(35)))

        init(_ arrivals: AsyncThrowingStream<WebArrival, any Error>.Continuation) {
            self.arrivals = arrivals
        }

        func urlSession(
            _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            let head = response as? HTTPURLResponse
            add(
                .head(
                    status: head?.statusCode ?? 0,
                    contentType: head?.value(forHTTPHeaderField: "Content-Type") ?? ""))
            completionHandler(.allow)
        }

        func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            add(.bytes(Array(data)))
        }

        func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            arrivals.finish(throwing: error.map { WebClientError.unreachable($0.localizedDescription) })
        }

        private func add(_ arrival: WebArrival) {
            heard.withLock { $0.last = .now }
            if case .dropped = arrivals.yield(arrival) { arrivals.finish() }
        }
    }
}
