internal import PopupClient
import Synchronization

extension EndableStream {
    /// Returns the reason why it ends by itself; `nil` if it does not.
    fileprivate func cause(at now: ContinuousClock.Instant) -> OpenStreams.Cause? {
        hasFailed ? .error : hasOverflown ? .slow : now >= endsAt ? .lifetime : nil
    }
}

/// The open streams and held requests, by token.
final class OpenStreams: Sendable {
    /// A reservation for one stream, until it is released.
    struct Reservation: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// The kind of a stream.
    enum Kind: String, CaseIterable { case state, events }

    /// The reason why a stream ended.
    enum Cause: String, CaseIterable {
        /// The client left, or its connection broke.
        case client
        /// Its connection took no bytes, or too few for what changed.
        case slow
        /// The gateway stops.
        case drain
        /// Its maximum lifetime was over.
        case lifetime
        /// Its token was removed, or has other rights.
        case token
        /// Its groups could not be followed any more.
        case error
    }

    private struct Entry {
        let token: AccessToken
        let address: ClientAddress?
        let kind: Kind
        let isRenderer: Bool
        var stream: (any EndableStream)?
        var response: ResponseStream?
        var cause: Cause?
    }

    private struct State {
        var streams: [Reservation: Entry] = [:]
        var opened: [Kind: UInt64] = [:]
        var closed: [Kind: [Cause: UInt64]] = [:]
        var busy: UInt64 = 0
        var perToken: [TokenHash: Int] = [:]
        var renderers = 0
        var reservations = 0
        var held: [TokenHash: Int] = [:]
        var allHeld = 0
    }

    /// The maximum numbers of streams.
    struct Limits {
        /// The maximum number of streams of all tokens.
        var streams: Int
        /// The maximum number of streams from one address.
        var perAddress = Int.max
        /// The maximum number of streams that are renderers.
        var renderers = Int.max
    }

    private let state = Mutex(State())
    private let addresses: ClientAddresses

    /// Creates an empty table.
    init(_ addresses: ClientAddresses = ClientAddresses()) {
        self.addresses = addresses
    }

    /// Returns a reservation for one more stream of a token; `nil` if that is more than the limit of the token, of its
    /// address, of renderers or of all streams allows.
    func reserve(
        for token: AccessToken, _ kind: Kind, from address: ClientAddress? = nil, isRenderer: Bool = false,
        limits: Limits
    ) -> Reservation? {
        state.withLock { state in
            guard state.streams.count < limits.streams, state.perToken[token.hash, default: 0] < token.streams,
                !isRenderer || state.renderers < limits.renderers,
                addresses.openStream(address, limit: limits.perAddress)
            else { return nil }
            state.reservations += 1
            let reservation = Reservation(number: state.reservations)
            state.streams[reservation] = Entry(token: token, address: address, kind: kind, isRenderer: isRenderer)
            if isRenderer { state.renderers += 1 }
            state.opened[kind, default: 0] += 1
            state.perToken[token.hash, default: 0] += 1
            return reservation
        }
    }

    /// Records the stream of a reservation.
    func attach(_ stream: any EndableStream, to reservation: Reservation) {
        state.withLock { $0.streams[reservation]?.stream = stream }
    }

    /// Records the connection that the stream of a reservation is written to.
    func attach(_ response: ResponseStream, to reservation: Reservation) {
        state.withLock { $0.streams[reservation]?.response = response }
    }

    /// Closes the connections that have taken no bytes since a time.
    ///
    /// - Parameter behind: The time for those with so much unsent that they must not stall.
    func cut(stalledSince time: ContinuousClock.Instant, orSince behind: ContinuousClock.Instant) {
        let responses = state.withLock { state in
            state.streams.compactMap { reservation, entry in entry.response.map { (reservation, $0) } }
        }
        for (reservation, response) in responses {
            // The reservation may be released as soon as the connection is closed.
            response.cut(ifStalledSince: time, orSince: behind) {
                state.withLock { $0.streams[reservation]?.cause = .slow }
            }
        }
    }

    /// Records that all streams end because the gateway stops.
    func beginDrain() {
        state.withLock { state in
            for reservation in state.streams.keys where state.streams[reservation]?.cause == nil {
                state.streams[reservation]?.cause = .drain
            }
        }
    }

    /// Counts a client that was asked to reconnect later.
    func countBusy() { state.withLock { $0.busy += 1 } }

    /// Releases a reservation. The second time has no effect.
    func release(_ reservation: Reservation) {
        let now = ContinuousClock.now
        state.withLock { state in
            guard let entry = state.streams.removeValue(forKey: reservation) else { return }
            addresses.closeStream(entry.address)
            if entry.isRenderer { state.renderers -= 1 }
            let slow: Cause? = entry.response?.hasTimedOut == true ? .slow : nil
            let cause = entry.cause ?? slow ?? entry.stream?.cause(at: now) ?? .client
            state.closed[entry.kind, default: [:]][cause, default: 0] += 1
            let token = entry.token
            state.perToken[token.hash, default: 0] -= 1
            if state.perToken[token.hash] == 0 { state.perToken[token.hash] = nil }
        }
    }

    /// Returns the streams of chosen tokens, which are about to end.
    func chosen(
        where isChosen: (AccessToken) -> Bool, endingBecause cause: Cause
    ) -> [any EndableStream] {
        state.withLock { state in
            state.streams.filter { isChosen($0.value.token) }.compactMap { reservation, entry in
                state.streams[reservation]?.cause = cause
                return entry.stream
            }
        }
    }

    /// Adds the metrics of streams.
    func add(to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        text.add(
            "popup_gateway_streams", .gauge, "Open streams.",
            Kind.allCases.map { kind in
                ("kind", kind.rawValue, UInt64(state.streams.values.count { $0.kind == kind }))
            })
        text.add(
            "popup_gateway_streams_opened_total", .counter, "Streams opened.",
            Kind.allCases.map { ("kind", $0.rawValue, state.opened[$0] ?? 0) })
        text.add(
            "popup_gateway_streams_closed_total", .counter, "Streams closed, by cause.",
            Kind.allCases.flatMap { kind in
                Cause.allCases.map { cause in
                    (
                        [("kind", kind.rawValue), ("cause", cause.rawValue)] as PrometheusText.Labels,
                        state.closed[kind]?[cause] ?? 0
                    )
                }
            })
        text.add("popup_gateway_renderers", .gauge, "Streams that are renderers.", UInt64(state.renderers))
        text.add(
            "popup_gateway_streams_busy_total", .counter, "Clients that were asked to reconnect later.", state.busy)
        text.add(
            "popup_gateway_held_requests", .gauge, "Requests that wait for a change, or send several commands.",
            UInt64(state.allHeld))
    }

    /// Performs a held request, unless there are as many as the limit allows; one token has at most a quarter of them.
    func hold<Answer>(
        for token: AccessToken, limit: Int, onFull: () -> Void = {}, _ body: () async throws -> Answer
    ) async throws -> Answer {
        let share = max(1, limit / 4)
        let hasRoom = state.withLock { state in
            guard state.allHeld < limit, state.held[token.hash, default: 0] < share else { return false }
            state.allHeld += 1
            state.held[token.hash, default: 0] += 1
            return true
        }
        guard hasRoom else {
            onFull()
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
