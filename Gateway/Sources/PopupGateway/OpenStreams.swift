import Synchronization

/// The open streams and held requests, by token.
final class OpenStreams: Sendable {
    /// A place among the streams, which one of them has until it is released.
    struct Place: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct Entry {
        let token: AccessToken
        var stream: (any EndableStream)?
        var response: ResponseStream?
    }

    private struct State {
        var streams: [Place: Entry] = [:]
        var stalled = 0
        var perToken: [TokenHash: Int] = [:]
        var places = 0
        var held: [TokenHash: Int] = [:]
        var allHeld = 0
    }

    private let state = Mutex(State())

    /// How many streams are open.
    var count: Int { state.withLock { $0.streams.count } }

    /// Returns a place for one more stream of a token; `nil` if there are as many as its own limit or that of all
    /// streams allows.
    func reserve(for token: AccessToken, limit: Int) -> Place? {
        state.withLock { state in
            guard state.streams.count < limit, state.perToken[token.hash, default: 0] < token.streams else {
                return nil
            }
            state.places += 1
            let place = Place(number: state.places)
            state.streams[place] = Entry(token: token)
            state.perToken[token.hash, default: 0] += 1
            return place
        }
    }

    /// Records the stream of a place.
    func attach(_ stream: any EndableStream, to place: Place) {
        state.withLock { $0.streams[place]?.stream = stream }
    }

    /// Records the connection that the stream of a place is written to.
    func attach(_ response: ResponseStream, to place: Place) {
        state.withLock { $0.streams[place]?.response = response }
    }

    /// Closes the connections that have taken no bytes since a time.
    func cut(stalledSince time: ContinuousClock.Instant) {
        let responses = state.withLock { $0.streams.values.compactMap(\.response) }
        let stalled = responses.count { $0.cut(ifStalledSince: time) }
        if stalled > 0 { state.withLock { $0.stalled += stalled } }
    }

    /// How many connections were closed because they took no bytes.
    var stalledCount: Int { state.withLock { $0.stalled } }

    /// Returns a place. Without effect the second time.
    func release(_ place: Place) {
        state.withLock { state in
            guard let token = state.streams.removeValue(forKey: place)?.token else { return }
            state.perToken[token.hash, default: 0] -= 1
            if state.perToken[token.hash] == 0 { state.perToken[token.hash] = nil }
        }
    }

    /// Returns the streams of chosen tokens.
    func chosen(where isChosen: (AccessToken) -> Bool) -> [any EndableStream] {
        state.withLock { state in state.streams.values.filter { isChosen($0.token) }.compactMap(\.stream) }
    }

    /// Performs a held request, unless there are as many as the limit allows; one token has at most a quarter of them.
    func hold<Answer>(
        for token: AccessToken, limit: Int, _ body: () async throws -> Answer
    ) async throws -> Answer {
        let share = max(1, limit / 4)
        let hasRoom = state.withLock { state in
            guard state.allHeld < limit, state.held[token.hash, default: 0] < share else { return false }
            state.allHeld += 1
            state.held[token.hash, default: 0] += 1
            return true
        }
        guard hasRoom else {
            throw Problem(
                429, "OVERLOAD", "\(limit) requests wait already, or \(share) of the token; try again later",
                retryAfterMs: 1000)
        }
        defer {
            state.withLock { state in
                state.allHeld -= 1
                state.held[token.hash, default: 0] -= 1
                if state.held[token.hash] == 0 { state.held[token.hash] = nil }
            }
        }
        return try await body()
    }
}
