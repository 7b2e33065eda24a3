import Foundation
import PopupProtocol
@_spi(Wire) public import PopupValues
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A stream of what groups show, now and whenever it changes. A slow loop misses intermediate states, but never the newest
/// state of a group. If the gateway loses the broker, or the client has been without the gateway for 5 s, each state comes
/// again as one that is not confirmed, and as a confirmed one when all states have come again: see
/// `GroupState.isConfirmed`.
///
/// One loop reads the stream; when the loop ends, the stream ends. It throws `WebClientError.refused` if the gateway does not
/// serve these groups to this token, and `tooManyGroups`; other failures are only waits.
public struct WebGroupStates: AsyncSequence, Sendable {
    /// The state of one group.
    public typealias Element = GroupState

    private let stream: WebStream

    init(_ stream: WebStream) {
        self.stream = stream
    }

    /// The loop over the states.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let reader: Reader
        private let states: NewestStates
        private var rings: AsyncThrowingStream<Void, any Error>.Iterator

        init(_ stream: WebStream) {
            let states = NewestStates()
            self.states = states
            rings = states.rings.makeAsyncIterator()
            reader = Reader(Task { await stream.run(into: states) })
        }

        /// Returns the next state; `nil` if the task is cancelled.
        public mutating func next() async throws -> GroupState? {
            while !Task.isCancelled {
                if let state = states.take() { return state }
                if try await rings.next() == nil { break }
            }
            return nil
        }
    }

    /// Returns the iterator.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream) }

    /// The task that reads the connection. It ends with the loop.
    private final class Reader: Sendable {
        private let task: Task<Void, Never>

        init(_ task: Task<Void, Never>) {
            self.task = task
        }

        deinit { task.cancel() }
    }
}

/// The newest unread state of each group.
final class NewestStates: Sendable {
    private struct State {
        var unread = UnreadStates()
        /// The number of connections that have ended.
        var losses = 0
        /// Whether the states have come since the last one ended.
        var isBack = true
    }

    /// Rings when there is something to take.
    let rings: AsyncThrowingStream<Void, any Error>
    private let rope: AsyncThrowingStream<Void, any Error>.Continuation
    private let state = Mutex(State())

    init() {
        (rings, rope) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a state.
    func add(_ wire: WireGroupState, received: ContinuousClock.Instant) {
        state.withLock { $0.unread.add(PublishedState(wire: wire), received: received) }
        rope.yield()
    }

    /// Records whether the states are those that the broker has now.
    func confirm(_ isConfirmed: Bool) {
        state.withLock { state in
            if isConfirmed { state.isBack = true }
            state.unread.confirm(isConfirmed)
        }
        rope.yield()
    }

    /// Records that the connection has ended, and returns the number of this loss, for `doubt`.
    func lose() -> Int {
        state.withLock { state in
            state.losses += 1
            state.isBack = false
            return state.losses
        }
    }

    /// Records that the time is over within which the states should have come again after a loss. If they have, or if another
    /// connection has ended since, it has no effect.
    func doubt(after loss: Int) {
        state.withLock { state in
            if !state.isBack, state.losses == loss { state.unread.confirm(false) }
        }
        rope.yield()
    }

    /// Removes and returns the state of the group that has waited longest; `nil` if there is none.
    func take() -> GroupState? { state.withLock { $0.unread.take() } }

    func finish(_ error: WebClientError) { rope.finish(throwing: error) }
}

/// The connections of a stream, one after the other.
struct WebStream: Sendable {
    private let request: URLRequest

    init(_ request: URLRequest) {
        var request = request
        // Silence is looked at below: a stream has heartbeats.
        request.timeoutInterval = 3600
        self.request = request
    }

    /// Reads the stream until its task is cancelled, or the gateway refuses it.
    func run(into states: NewestStates) async {
        var feed = StateFeed()
        var reconnection = Reconnection(at: .now)
        var doubt: Task<Void, Never>?
        defer { doubt?.cancel() }
        while !Task.isCancelled {
            feed.begin()
            let begin = ContinuousClock.now
            var wait: ClosedRange<Duration>?
            do {
                wait = try await read(&feed, into: states)
            } catch let error as WebClientError {
                // What a proxy says during a restart is no last word.
                if case .refused(let refusal) = error, [400, 401, 403, 404].contains(refusal.status) {
                    return states.finish(error)
                }
                if case .tooManyGroups = error { return states.finish(error) }
            } catch {
                // The task is cancelled.
            }
            // The time counts from the first of several connections that fail.
            if feed.isSynced || doubt == nil {
                doubt?.cancel()
                let loss = states.lose()
                doubt = Task {
                    try? await Task.sleep(for: Self.timeOfConfirmation)
                    if !Task.isCancelled { states.doubt(after: loss) }
                }
            }
            let most = reconnection.longestWait(afterConnectionFrom: begin, to: .now, isSynced: feed.isSynced)
            let waits = wait ?? .zero...most
            let time = waits.lowerBound + (waits.upperBound - waits.lowerBound) * Double.random(in: 0...1)
            try? await Task.sleep(for: time)
        }
    }

    /// Reads one connection to its end. Returns when to come again, if the gateway says so.
    private func read(_ feed: inout StateFeed, into states: NewestStates) async throws -> ClosedRange<Duration>? {
        let connection = WebConnection(request)
        // The connection of a host that has vanished ends by silence alone.
        let watchdog = Task { await connection.endAfterSilence() }
        defer { watchdog.cancel() }
        var status = 0
        var (problem, wait): ([UInt8], ClosedRange<Duration>?) = ([], nil)
        for try await arrival in connection.arrivals {
            switch arrival {
            case .head(let number, let contentType):
                status = number
                guard status != 200 || contentType.hasPrefix("application/x-ndjson") else {
                    throw WebClientError.unreadable(status: status)
                }
            case .bytes(let bytes) where status != 200:
                problem += bytes.prefix(Self.problemBytes - problem.count)
            case .bytes(let bytes):
                for outcome in try feed.take(bytes) {
                    switch outcome {
                    case .states(let new): for state in new { states.add(state, received: .now) }
                    case .confirmed(let isConfirmed): states.confirm(isConfirmed)
                    case .comeAgain(let time): wait = time
                    }
                }
                connection.allow(silence: feed.silence)
            }
        }
        if status != 200, status != 0 { throw WebClientError(status: status, problem: problem) }
        return wait
    }

    /// The time without the gateway after which states are not confirmed any more, as in `ClientLimits`.
    private static let timeOfConfirmation: Duration = .seconds(5)
    /// The maximum number of bytes of a problem.
    private static let problemBytes = 16 << 10
}
