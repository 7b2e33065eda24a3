import Foundation

/// The reader of the lines of one connection: pure.
///
///     hello ─▶ state … state ─▶ synced ─▶ state, ping, broker …
///
/// Before `synced` come the present states of all groups that show or hold something. A group that was known and has
/// none of them is empty.
struct StateFeed {
    /// The meaning of a line.
    enum Outcome: Equatable {
        /// New states, at most one of each group.
        case states([WireGroupState])
        /// The gateway has no place: the client comes again after this time.
        case busy(Duration)
    }

    /// The silence after which the connection is given up: two heartbeats and 5 s.
    private(set) var silence: Duration = .seconds(35)
    /// Whether the present states of all groups have arrived.
    private(set) var isSynced = false
    private var latest: [String: WireGroupState] = [:]
    private var present: Set<String> = []
    private var line: [UInt8] = []

    /// The maximum number of bytes of a line. A longer one is no message of a gateway.
    static let maxLineBytes = 1 << 20

    /// Begins a new connection: all states come again.
    mutating func begin() {
        isSynced = false
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
            if !line.isEmpty, let outcome = try read(line) { outcomes.append(outcome) }
            line = []
        }
        line += rest
        guard line.count <= Self.maxLineBytes else { throw .unreadable(status: 200) }
        return outcomes
    }

    private struct Line: Decodable {
        var event: String
        var heartbeatMs: Int?
        var retryAfterMs: Int?
    }

    private mutating func read(_ bytes: [UInt8]) throws(WebClientError) -> Outcome? {
        let line: Line
        do { line = try JSONDecoder().decode(Line.self, from: Data(bytes)) } catch {
            throw .unreadable(status: 200)
        }
        switch line.event {
        case "hello":
            if let heartbeat = line.heartbeatMs { silence = .milliseconds(2 * max(0, heartbeat) + 5000) }
            return nil
        case "state":
            let state: WireGroupState
            do { state = try WireJSON.decode(bytes) } catch { throw .unreadable(status: 200) }
            present.insert(state.group)
            return accept(state) ? .states([state]) : nil
        case "synced": return .states(synced())
        case "busy": return .busy(.milliseconds(line.retryAfterMs ?? 10_000))
        default: return nil
        }
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
