import PopupFleet
import PopupJournal

/// A state machine of timers. What it remembers depends on the order and the times of all that ever happened.
struct TimerMachine: ReplicatedState {
    /// A command: an id, and after what time it fires.
    struct Timer: Hashable {
        var id: UInt32
        var due: Int64
    }

    static var rulesVersion: UInt32 { 1 }

    /// A digest of all that happened.
    private(set) var trace: UInt64 = 0xCBF2_9CE4_8422_2325
    private var timers: [Timer] = []

    init() {}

    var nextDeadline: Int64? { timers.first?.due }

    mutating func advance(to time: Int64) {
        while let timer = timers.first, timer.due <= time {
            timers.removeFirst()
            note(1, timer)
        }
    }

    mutating func apply(_ entry: LogEntry) throws {
        // The other kinds say nothing to a state machine: a broker beside the node does not see them.
        guard entry.kind == .batch else { return }
        note(2, Timer(id: UInt32(truncatingIfNeeded: entry.index), due: entry.time))
        for timer in try Self.timers(of: entry.commands) {
            let placed = Timer(id: timer.id, due: entry.time + timer.due)
            timers.insert(placed, at: timers.firstIndex { $0.due > placed.due } ?? timers.count)
            note(3, placed)
        }
    }

    func snapshot() -> [UInt8] {
        Self.bytes(of: timers) + withUnsafeBytes(of: trace.bigEndian, Array.init)
    }

    init(snapshot: [UInt8]) throws {
        guard snapshot.count >= 8 else { throw LogRecordError.damaged }
        trace = snapshot.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        timers = try Self.timers(of: snapshot.dropLast(8))
    }

    /// Returns timers as the commands of a batch.
    static func bytes(of timers: [Timer]) -> [UInt8] {
        timers.flatMap {
            withUnsafeBytes(of: $0.id.bigEndian, Array.init) + withUnsafeBytes(of: $0.due.bigEndian, Array.init)
        }
    }

    /// Returns the timers of a batch.
    static func timers(of bytes: some Collection<UInt8>) throws -> [Timer] {
        let bytes = Array(bytes)
        guard bytes.count.isMultiple(of: 12) else { throw LogRecordError.damaged }
        return stride(from: 0, to: bytes.count, by: 12).map { start in
            Timer(
                id: bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) },
                due: bytes[start + 4..<start + 12].reduce(0) { $0 << 8 | Int64($1) })
        }
    }

    private mutating func note(_ kind: UInt64, _ timer: Timer) {
        for number in [kind, UInt64(timer.id), UInt64(bitPattern: timer.due)] {
            trace = (trace ^ number) &* 0x100_0000_01B3
            trace ^= trace >> 29
        }
    }
}
