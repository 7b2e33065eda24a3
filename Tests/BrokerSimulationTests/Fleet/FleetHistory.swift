import FleetState
import PopupJournal
import PopupProtocol
import PopupScheduling
import SimulatedLogs
import SwiftProtobuf

/// The one history that a log determines: each state of each group, and when it can be known.
struct FleetHistory {
    /// A state of a group.
    struct Version {
        /// The epoch of the entry before it began.
        var epoch: UInt64
        /// The index of that entry.
        var index: UInt64
        /// The time of the log at which it began.
        var time: Int64
        var state: WireGroupState
    }

    private struct Place: Hashable {
        var group: String
        var revision: UInt64
    }

    private var versions: [Place: [Version]] = [:]
    private(set) var groups: [String: [Version]] = [:]
    private var taken = 0

    /// Replays a log to its horizon.
    init(of log: borrowing SimulatedLog) throws {
        var history = BrokerHistory()
        for entry in log.history {
            try advance(&history, to: entry.time, after: entry.index - 1)
            try history.follow(entry)
            try take(history, at: entry.time, after: entry.index)
        }
        try advance(&history, to: log.head.horizon, after: log.head.index)
    }

    private mutating func advance(_ history: inout BrokerHistory, to time: Int64, after index: UInt64) throws {
        while let due = history.nextDeadline, due <= time {
            try history.advance(to: due)
            try take(history, at: due, after: index)
        }
        try history.advance(to: time)
        try take(history, at: time, after: index)
    }

    private mutating func take(_ history: borrowing BrokerHistory, at time: Int64, after index: UInt64) throws {
        while taken < history.records.count {
            let record = history.records[taken]
            taken += 1
            let state = try WireGroupState(jsonString: record.json)
            let version = Version(epoch: record.begins, index: index, time: time, state: state)
            versions[Place(group: state.group, revision: state.revision), default: []].append(version)
            groups[state.group, default: []].append(version)
        }
    }

    /// Returns the states of a group's revision that an owner of an epoch can know, with some entries in the log and some
    /// time promised.
    func known(
        _ group: String, _ revision: UInt64, epoch: UInt64, entries: UInt64, horizon: Int64
    ) -> [WireGroupState] {
        (versions[Place(group: group, revision: revision)] ?? [])
            .filter { $0.epoch <= epoch && $0.index <= entries && $0.time <= horizon }.map(\.state)
    }

    /// Returns all states of a group's revision, for a failure.
    func text(_ group: String, _ revision: UInt64) -> String {
        (versions[Place(group: group, revision: revision)] ?? [])
            .map { "entry \($0.index) of \($0.epoch) at \($0.time): \($0.state.content)" }.joined(separator: "; ")
    }

    /// Returns the last state of each group, at a time after the last entry.
    func last(at time: Int64) -> [String: WireGroupState] {
        groups.compactMapValues { versions in versions.last { $0.time <= time }?.state }
    }
}

extension WireGroupState {
    /// The state without what differs from one publication to another.
    var content: WireGroupState {
        var state = lasting
        state.epoch = 0
        return state
    }
}
