internal import PopupFleet
package import PopupJournal

/// A small state machine for trials of a fleet: numbers that were appended, and timers that fire later. Its digest depends
/// on the order and the times of all that ever happened.
package struct NumberMachine: ReplicatedState, Sendable {
    /// A command: a number, and after how many ms its timer fires.
    package struct Command: Hashable, Sendable {
        /// The number, never used twice.
        package var number: UInt64
        /// The delay of its timer, in ms.
        package var delay: UInt32

        /// Creates a command.
        package init(number: UInt64, delay: UInt32) {
            self.number = number
            self.delay = delay
        }
    }

    private struct Timer: Hashable {
        var due: Int64
        var number: UInt64
    }

    package static var rulesVersion: UInt32 { 1 }

    /// A digest of all that happened.
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private var timers: [Timer] = []

    package init() {}

    package var nextDeadline: Int64? { timers.first?.due }

    package mutating func advance(to time: Int64) {
        while let timer = timers.first, timer.due <= time {
            timers.removeFirst()
            note(1, timer.number, UInt64(bitPattern: timer.due))
        }
    }

    package mutating func apply(_ entry: LogEntry) throws {
        note(2, entry.index, UInt64(bitPattern: entry.time))
        guard entry.kind == .batch else { return }
        for command in try Self.commands(of: entry.commands) {
            let timer = Timer(due: entry.time + Int64(command.delay), number: command.number)
            timers.insert(timer, at: timers.firstIndex { $0.due > timer.due } ?? timers.count)
            note(3, command.number, UInt64(bitPattern: timer.due))
        }
    }

    package func snapshot() -> [UInt8] {
        timers.reduce(into: Self.bytes(of: digest)) {
            $0 += Self.bytes(of: UInt64(bitPattern: $1.due)) + Self.bytes(of: $1.number)
        }
    }

    package init(snapshot: [UInt8]) throws {
        guard snapshot.count % 16 == 8 else { throw LogRecordError.damaged }
        digest = Self.number(in: snapshot, at: 0)
        timers = stride(from: 8, to: snapshot.count, by: 16).map {
            Timer(
                due: Int64(bitPattern: Self.number(in: snapshot, at: $0)), number: Self.number(in: snapshot, at: $0 + 8)
            )
        }
    }

    /// Returns commands as those of a batch.
    package static func bytes(of commands: [Command]) -> [UInt8] {
        commands.flatMap { bytes(of: $0.number) + bytes(of: UInt64($0.delay)) }
    }

    /// Returns the commands of a batch.
    ///
    /// - Throws: If the bytes are not a batch.
    package static func commands(of bytes: [UInt8]) throws -> [Command] {
        guard bytes.count.isMultiple(of: 16) else { throw LogRecordError.damaged }
        return stride(from: 0, to: bytes.count, by: 16).map {
            Command(
                number: number(in: bytes, at: $0), delay: UInt32(truncatingIfNeeded: number(in: bytes, at: $0 + 8)))
        }
    }

    private static func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }

    private static func number(in bytes: [UInt8], at place: Int) -> UInt64 {
        bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func note(_ numbers: UInt64...) {
        for number in numbers {
            digest = (digest ^ number) &* 0x100_0000_01B3
            digest ^= digest >> 29
        }
    }
}
