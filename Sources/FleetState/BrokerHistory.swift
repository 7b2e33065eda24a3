public import PopupJournal
import PopupProtocol
import PopupScheduling
import PopupState
import SwiftProtobuf

/// The states that groups have had, as a shared log determines them: what its owners may have published.
///
/// It finds one state after another by replaying the log, and looks at every group after each step. That is slow: it is
/// for checks.
public struct BrokerHistory: ~Copyable {
    /// A state of a group.
    public struct Record: Hashable, Sendable {
        /// The epoch of the entry before it began: that of the tenures that may have published it first.
        public var begins: UInt64
        /// Its message in JSON, without what differs from one publication to another: the epoch, the cause, and the
        /// display time that is left.
        public var json: String
    }

    /// The greatest number of groups that it looks at.
    private static let groups = 10_000

    private var state = BrokerState(JournaledSettings(limits: Limits(), seed: 0))
    private var output = EventBuffer()
    private var known: [String: UInt64] = [:]
    private var epoch: UInt64 = 0
    /// The states so far, in their order.
    public private(set) var records: [Record] = []

    /// The time of the next timer; `nil` for none.
    public var nextDeadline: Int64? { state.scheduler.nextDeadline }

    /// Creates the history of an empty log.
    public init() {}

    /// Follows the next entry.
    ///
    /// - Throws: If its commands cannot be read.
    public mutating func follow(_ entry: LogEntry) throws {
        try advance(to: entry.time)
        epoch = entry.epoch
        guard entry.kind == .batch else { return }
        // One command at a time: each can be published on its own.
        for part in try CommandLog.entries(in: entry.commands) {
            var log = CommandLog()
            log.append(part.kind, entry.commands.span.bytes.extracting(part.range))
            try state.apply(
                JournalBatch(sequence: entry.index, time: entry.time, commands: log.takeBytes()), into: &output)
            try look(at: entry.time)
            // What the command has left for later steps.
            try advance(to: entry.time)
        }
    }

    /// Handles the timers until a time, such as the horizon of the log's head.
    ///
    /// - Throws: If the content of a popup cannot be read.
    public mutating func advance(to time: Int64) throws {
        while state.advance(to: time, into: &output) {
            output.removeAll()
            try look(at: time)
        }
    }

    private mutating func look(at time: Int64) throws {
        let none: [UInt8] = []
        for group in state.groups(withPrefix: none.span.bytes, limit: Self.groups) {
            guard let view = state.scheduler.state(of: group, at: time) else { continue }
            var name: [UInt8] = []
            state.scheduler.appendName(of: group, to: &name)
            let text = String(decoding: name, as: UTF8.self)
            guard known.updateValue(view.revision, forKey: text) != view.revision else { continue }
            var message = WireGroupState()
            message.group = text
            message.revision = view.revision
            message.waiting = UInt32(clamping: view.waiting)
            message.paused = UInt32(clamping: view.paused)
            if let active = view.active {
                var content: [UInt8] = []
                state.scheduler.appendActiveContent(of: group, to: &content)
                message.active = try WirePopup(serializedBytes: content)
                message.active.attempt = active.attempt
                message.active.sinceRevision = active.sinceRevision
                message.offered = active.isOffered
            }
            records.append(Record(begins: epoch, json: try message.jsonString()))
        }
    }
}
