import PopupBroker
import PopupJournal
import PopupProtocol
import SwiftProtobuf

/// Two producers.
let alice = "a11ce000000000000000000000000001"
let bob = "b0b00000000000000000000000000002"

/// A numbered command as JSON: what follows `sequence`.
func numbered(_ sequence: UInt64, _ command: String, by producer: String = alice) -> String {
    #"{"producer":"\#(producer)","sequence":"\#(sequence)",\#(command)}"#
}

/// A numbered `show`.
func show(_ id: String, in group: String = "g", _ sequence: UInt64, by producer: String = alice) -> String {
    numbered(sequence, #""show":{"id":"\#(id)","group":"\#(group)"}"#, by: producer)
}

extension Harness {
    /// The acknowledgements that have come, in short: `producer: cumulative +selective !refused REASON after ms`.
    func acks() throws -> [String] {
        try receivedMessages(of: client).filter { $0.topic.hasPrefix("acks") }.map { message in
            let encoding: WireEncoding = message.topic.hasPrefix("acks+json/") ? .json : .binary
            let ack = try encoding.decode(message.body, as: WireAck.self)
            let producer = message.topic.hasSuffix("/\(alice)/") ? "alice" : "bob"
            return "\(producer): \(ack.short)"
        }
    }
}

extension WireAck {
    var short: String {
        var words = ["\(cumulative)"]
        words += acknowledgedAbove.map { "+\($0)" }
        words += refusals.map { refusal in
            let wait = refusal.retryAfterMs > 0 ? " after \(refusal.retryAfterMs)" : ""
            return "!\(refusal.sequence) \(refusal.reason.name)\(wait)"
        }
        return words.joined(separator: " ")
    }

    /// The sequences that the bitmap names.
    var acknowledgedAbove: [UInt64] {
        let bits = [UInt8](selective)
        return (0..<bits.count * 8).filter { bits[$0 / 8] >> UInt8($0 % 8) & 1 == 1 }
            .map { cumulative + 2 + UInt64($0) }
    }
}

/// A journal whose disk can be full.
final class FullableJournal: Journal {
    struct Full: Error {}

    var isFull = false
    /// The size in bytes beyond which a batch is never committed.
    var mostBytes = Int.max
    /// `.network`: other processes may own it.
    var commitWait = CommitWait.none
    var preferredBatchBytes = 512 << 10
    /// The size beyond which the broker makes no batch.
    var maxBatchBytes = Int.max
    /// The time until which timers may be handled without a batch; only with `.network`.
    var timeLimit = Int64.max
    /// What was asked for when a timer was beyond that time.
    private(set) var reservations: [Reservation] = []

    struct Reservation: Equatable {
        var clock: Int64
        var handled: Int64
    }

    private(set) var isOpen = false
    /// Until when timers were handled, as the broker recorded it.
    private(set) var recordedTime: Int64 = 0
    private(set) var batches: [[UInt8]] = []
    private let journal = MemoryJournal(retention: MemoryJournal.Retention(batches: 10_000, bytes: 1 << 26))

    /// What was committed after the limits of the run, as the kinds of its entries.
    func kinds() throws -> [[CommandLog.Kind]] {
        try batches.map { try CommandLog.entries(in: $0).map(\.kind) }.filter { $0 != [.settings] }
    }

    func open() throws -> JournalOpening {
        isOpen = true
        return try journal.open()
    }

    func replay(from sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws {
        try journal.replay(from: sequence, body)
    }

    func append(_ commands: RawSpan, at time: Int64) throws -> UInt64 {
        if isFull || commands.byteCount > mostBytes { throw Full() }
        batches.append(commands.withUnsafeBytes { Array($0) })
        return try journal.append(commands, at: time)
    }

    func record(time: Int64) { recordedTime = max(recordedTime, time) }

    func reserve(from clock: Int64, handled: Int64) {
        reservations.append(Reservation(clock: clock, handled: handled))
    }

    func close() throws { try journal.close() }
}
