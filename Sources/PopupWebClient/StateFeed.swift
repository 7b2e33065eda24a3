import Foundation

/// The reader of the lines of one connection: pure.
///
///     hello ─▶ state … state ─▶ synced ─▶ state, ping, broker … ─▶ retry
///
/// Before `synced` come the present states of all groups that show or hold something. A group that was known and has
/// none of them is empty. When the broker was lost and is back, the states and `synced` come again.
struct StateFeed {
    /// The meaning of a line.
    enum Outcome: Equatable {
        /// New states, at most one of each group.
        case states([WireGroupState])
        /// The broker is lost, so that groups may show something else by now; or it is there, and all states have come.
        case confirmed(Bool)
        /// The connection ends: the client comes again after a time in this range.
        case comeAgain(ClosedRange<Duration>)
    }

    /// The silence after which the connection is given up: two heartbeats and 5 s.
    private(set) var silence: Duration = .seconds(35)
    /// Whether the present states of all groups have arrived.
    private(set) var isSynced = false
    /// Whether the gateway has the broker, and the connection has told it; `nil`: it has not begun.
    private var hasBroker: Bool?
    /// Whether the gateway has no place for the stream.
    private var isBusy = false
    private var latest: [String: WireGroupState] = [:]
    private var present: Set<String> = []
    private var line: [UInt8] = []

    /// The maximum number of bytes of a line. A longer one is no message of a gateway.
    static let maxLineBytes = 1 << 20

    /// Begins a new connection: all states come again.
    mutating func begin() {
        isSynced = false
        hasBroker = nil
        isBusy = false
        present = []
        line = []
    }

    /// Takes a piece of the body.
    ///
    /// - Throws: `WebClientError.unreadable` for what is no message of a gateway.
    mutating func take(_ bytes: [UInt8]) throws(WebClientError) -> [Outcome] {
        var outcomes: [Outcome] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            rest = rest[(end + 1)...]
            if !line.isEmpty { outcomes += try read(line) }
            line = []
        }
        line += rest
        guard line.count <= Self.maxLineBytes else { throw .unreadable(status: 200) }
        return outcomes
    }

    private struct Line: Decodable {
        var event: String
        var heartbeatMs: Int?
        var connected: Bool?
        var retryMs: Int?
        var retryAfterMs: Int?
    }

    private mutating func read(_ bytes: [UInt8]) throws(WebClientError) -> [Outcome] {
        let line: Line
        do { line = try JSONDecoder().decode(Line.self, from: Data(bytes)) } catch {
            throw .unreadable(status: 200)
        }
        switch line.event {
        case "hello":
            if let heartbeat = line.heartbeatMs { silence = .milliseconds(2 * max(0, heartbeat) + 5000) }
            hasBroker = line.connected ?? true
            return hasBroker == false ? [.confirmed(false)] : []
        case "state":
            let state: WireGroupState
            do { state = try WireJSON.decode(bytes) } catch { throw .unreadable(status: 200) }
            present.insert(state.group)
            return accept(state) ? [.states([state])] : []
        case "synced":
            let emptied = [Outcome.states(synced())]
            return hasBroker == false ? emptied : emptied + [.confirmed(true)]
        case "broker":
            hasBroker = line.connected ?? true
            // Until the states have come again, they are those of before.
            return hasBroker == false ? [.confirmed(false)] : []
        case "busy":
            isBusy = true
            return [comeAgain(afterMs: line.retryAfterMs ?? 10_000)]
        // The first one is for a connection that breaks. A later one ends the stream.
        case "retry": return hasBroker == nil ? [] : line.retryMs.map { [comeAgain(afterMs: $0)] } ?? []
        default: return []
        }
    }

    /// Returns when the client comes again. The gateway has drawn the time for this stream, unless it is busy: that is the
    /// same for all. It is only then more than the 4 s within which the client is back after a short outage.
    private func comeAgain(afterMs time: Int) -> Outcome {
        let time = Duration.milliseconds(max(0, time))
        guard !isBusy else { return .comeAgain(time * 0.75...time * 1.25) }
        let most = min(time, Reconnection.mostAtFirst)
        return .comeAgain(most * 0.5...most)
    }

    /// Returns the states of the groups that have become empty meanwhile.
    private mutating func synced() -> [WireGroupState] {
        isSynced = true
        let gone = latest.values.filter { !present.contains($0.group) && ($0.hasActive || $0.waiting + $0.paused > 0) }
        present = []
        return gone.map { last in
            var empty = WireGroupState()
            (empty.group, empty.epoch, empty.revision) = (last.group, last.epoch, last.revision)
            latest[last.group] = empty
            return empty
        }
    }

    /// Whether a state is newer than the last one of its group. An equal one says only how much display time is left.
    private mutating func accept(_ state: WireGroupState) -> Bool {
        if let last = latest[state.group], (state.epoch, state.revision) < (last.epoch, last.revision) { return false }
        latest[state.group] = state
        return true
    }
}
