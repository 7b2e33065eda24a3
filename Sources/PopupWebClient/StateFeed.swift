import PopupProtocol

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
    private var latest: [String: Latest] = [:]
    /// The size of the lines with the latest states, in bytes.
    private var latestBytes = 0
    private var present: Set<String> = []
    private var line: [UInt8] = []
    private let limits: Limits

    /// The latest state of a group.
    private struct Latest {
        var state: WireGroupState
        /// The size of its line.
        var bytes: Int
    }

    /// The limits of what is kept of a stream.
    struct Limits {
        /// The maximum number of groups whose states are kept, as in `ClientLimits`.
        var groups = 100_000
        /// The maximum size of the lines with these states, in bytes.
        var bytes = 256 << 20
    }

    /// The maximum number of bytes of a line. A longer one is no message of a gateway.
    static let maxLineBytes = 1 << 20
    /// The longest heartbeat of a gateway that counts, in ms. A longer one would hide that the gateway has vanished.
    private static let longestHeartbeat = 3_600_000
    /// The longest time in ms after which a client comes again, whatever a gateway says.
    private static let longestAbsence = 300_000

    /// Creates the reader of a stream.
    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// The number of groups whose states are kept.
    var groups: Int { latest.count }

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
    /// - Throws: `WebClientError.unreadable` for what is no message of a gateway; `tooManyGroups` beyond the limits.
    mutating func take(_ bytes: [UInt8]) throws(WebClientError) -> [Outcome] {
        var outcomes: [Outcome] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try append(rest[..<end])
            rest = rest[(end + 1)...]
            let whole = line
            line = []
            if !whole.isEmpty { outcomes += try read(whole) }
        }
        try append(rest)
        return outcomes
    }

    /// Appends to the line.
    ///
    /// - Throws: `WebClientError.unreadable` if it is too long.
    private mutating func append(_ piece: ArraySlice<UInt8>) throws(WebClientError) {
        guard line.count + piece.count <= Self.maxLineBytes else { throw .unreadable(status: 200) }
        line += piece
    }

    private struct Line {
        var event: String
        var heartbeatMs: Int?
        var connected: Bool?
        var retryMs: Int?
        var retryAfterMs: Int?

        /// Reads a line; `nil` if it is no message of a gateway. A member of another type counts as absent.
        init?(_ bytes: [UInt8]) {
            guard let line = try? AnyJSON(bytes), let event = line["event"]?.text else { return nil }
            self.event = event
            heartbeatMs = line["heartbeatMs"]?.integer()
            connected = line["connected"]?.flag
            retryMs = line["retryMs"]?.integer()
            retryAfterMs = line["retryAfterMs"]?.integer()
        }
    }

    private mutating func read(_ bytes: [UInt8]) throws(WebClientError) -> [Outcome] {
        guard let line = Line(bytes) else { throw .unreadable(status: 200) }
        switch line.event {
        case "hello":
            if let heartbeat = line.heartbeatMs {
                silence = .milliseconds(2 * min(max(0, heartbeat), Self.longestHeartbeat) + 5000)
            }
            hasBroker = line.connected ?? true
            return hasBroker == false ? [.confirmed(false)] : []
        case "state":
            let state: WireGroupState
            do { state = try WireJSON.decode(bytes) } catch { throw .unreadable(status: 200) }
            let isNew = try accept(state, bytes: bytes.count)
            present.insert(state.group)
            return isNew ? [.states([state])] : []
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
        let time = Duration.milliseconds(min(max(0, time), Self.longestAbsence))
        guard !isBusy else { return .comeAgain(time * 0.75...time * 1.25) }
        let most = min(time, Reconnection.mostAtFirst)
        return .comeAgain(most * 0.5...most)
    }

    /// Returns the states of the groups that have become empty meanwhile, in the order of their names.
    private mutating func synced() -> [WireGroupState] {
        isSynced = true
        let gone = latest.values.map(\.state).filter {
            !present.contains($0.group) && ($0.hasActive || $0.waiting > 0 || $0.paused > 0)
        }.sorted { $0.group < $1.group }
        present = []
        return gone.map { last in
            var empty = WireGroupState()
            (empty.group, empty.epoch, empty.revision) = (last.group, last.epoch, last.revision)
            keep(empty, bytes: empty.group.utf8.count)
            return empty
        }
    }

    /// Whether a state is newer than the last one of its group. An equal one says only how much display time is left.
    ///
    /// - Throws: `WebClientError.tooManyGroups` if it is one too many; it is not kept.
    private mutating func accept(_ state: WireGroupState, bytes: Int) throws(WebClientError) -> Bool {
        let last = latest[state.group]
        if let last = last?.state, (state.epoch, state.revision) < (last.epoch, last.revision) { return false }
        guard last != nil || latest.count < limits.groups, latestBytes - (last?.bytes ?? 0) + bytes <= limits.bytes
        else { throw .tooManyGroups(limit: limits.groups) }
        keep(state, bytes: bytes)
        return true
    }

    private mutating func keep(_ state: WireGroupState, bytes: Int) {
        let last = latest.updateValue(Latest(state: state, bytes: bytes), forKey: state.group)
        latestBytes += bytes - (last?.bytes ?? 0)
    }
}
