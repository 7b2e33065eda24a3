import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The connections of a client for single requests.
final class Session: Sendable {
    private let session: URLSession
    private let answers = Answers()
    /// The time in seconds without a byte of an answer after which a request fails.
    let timeout: Double

    init(timeout: Duration) {
        self.timeout = timeout / .seconds(1)
        session = URLSession(configuration: .uncached, delegate: answers, delegateQueue: nil)
    }

    // The session holds its delegate until it is invalidated.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request, and returns the whole answer.
    ///
    /// - Throws: `WebClientError.unreachable`, `answerTooLarge`; `CancellationError`.
    func answer(to request: URLRequest) async throws -> (status: Int, bytes: [UInt8]) {
        let task = session.dataTask(with: request)
        let longest = Duration.seconds(request.timeoutInterval) * Self.longestAnswer
        let timer = Task { [answers] in
            try await Task.sleep(for: longest)
            answers.end(task, .failure(.unreachable("the whole answer has taken more than \(longest)")))
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    answers.begin(task, continuation)
                    task.resume()
                    // A task that was cancelled before it was recorded may have ended.
                    if Task.isCancelled { answers.end(task, .failure(.unreachable("the task is cancelled"))) }
                }
            } onCancel: {
                task.cancel()
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    /// The time that a whole answer may take, in times without a byte.
    private static let longestAnswer = 3
    /// The maximum number of bytes of an answer.
    fileprivate static let largestAnswer = 16 << 20
}

/// The answers to single requests that are arriving.
private final class Answers: NSObject, URLSessionDataDelegate, Sendable {
    typealias Answer = (status: Int, bytes: [UInt8])

    private struct Arriving {
        let continuation: CheckedContinuation<Answer, any Error>
        var answer: Answer = (0, [])
    }

    private let arriving = Mutex<[Int: Arriving]>([:])

    /// Records a task that is about to begin.
    func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<Answer, any Error>) {
        arriving.withLock { $0[task.taskIdentifier] = Arriving(continuation: continuation) }
    }

    /// Ends a task. The second time has no effect.
    func end(_ task: URLSessionTask, _ result: Result<Void, WebClientError>) {
        let ended = arriving.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        task.cancel()
        ended?.continuation.resume(with: result.map { ended?.answer ?? (0, []) }.mapError { $0 as any Error })
    }

    func urlSession(
        _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        arriving.withLock { $0[dataTask.taskIdentifier]?.answer = (status, []) }
        completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let count = arriving.withLock { arriving in
            arriving[dataTask.taskIdentifier]?.answer.bytes += data
            return arriving[dataTask.taskIdentifier]?.answer.bytes.count ?? 0
        }
        if count > Session.largestAnswer { end(dataTask, .failure(.answerTooLarge(limit: Session.largestAnswer))) }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task, error.map { .failure(.unreachable($0.localizedDescription)) } ?? .success(()))
    }

    func urlSession(
        _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A gateway does not redirect. Another host would get the token.
        completionHandler(nil)
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
        // The session holds its delegate until it is invalidated.
        let session = URLSession(configuration: .uncached, delegate: delegate, delegateQueue: nil)
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

        func urlSession(
            _: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            // A gateway does not redirect. Another host would get the token.
            completionHandler(nil)
        }

        private func add(_ arrival: WebArrival) {
            heard.withLock { $0.last = .now }
            if case .dropped = arrivals.yield(arrival) { arrivals.finish() }
        }
    }
}

extension URLSessionConfiguration {
    /// The settings of connections whose responses are not kept.
    fileprivate static var uncached: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        return configuration
    }
}
