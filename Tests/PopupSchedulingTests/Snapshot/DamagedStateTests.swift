import PopupScheduling
import Testing

/// Bytes that no scheduler wrote: refused, or the state of a scheduler that works. A trap ends the test run.
@Suite struct DamagedStateTests {
    private static let rich: [UInt8] = {
        let subject = SchedulerSubject(limits: Limits(), seed: 42)
        Timeline.everything.play(on: subject)
        return subject.state
    }()

    @Test func `a state truncated at any position is refused`() {
        for length in 0..<Self.rich.count {
            #expect(throws: SnapshotError.self) { try SchedulerSubject(restoring: Array(Self.rich.prefix(length))) }
        }
    }

    @Test func `bytes after a state are refused`() {
        #expect(throws: SnapshotError.damaged("more bytes follow its end", at: Self.rich.count)) {
            try SchedulerSubject(restoring: Self.rich + [0])
        }
    }

    @Test func `another version is refused by its number`() {
        #expect(throws: SnapshotError.version(9)) { try SchedulerSubject(restoring: [9] + Self.rich.dropFirst()) }
        #expect(
            SnapshotError.version(9).description
                == "the state is of version 9, and this program reads versions 1 to 8; use the program that wrote it")
    }

    @Test func `a cap that is closed for another time than its showings say is refused`() throws {
        let (state, other) = (Self.closedCap(window: 100), Self.closedCap(window: 101))
        // The window of the policy, and the time until which the cap is closed.
        let differences = state.indices.filter { state[$0] != other[$0] }
        try #require(state.count == other.count && differences.count == 2)
        for index in differences {
            var bytes = state
            bytes[index] = other[index]
            let error = #expect(throws: SnapshotError.self) { try SchedulerSubject(restoring: bytes) }
            #expect(error?.description.contains("a cap and its showings disagree") == true)
        }
    }

    private static func closedCap(window: UInt32) -> [UInt8] {
        let subject = SchedulerSubject(limits: Limits(), seed: 0)
        Timeline().policy { $0.caps = [Cap(most: 1, window: window)] }.show("A").play(on: subject)
        return subject.state
    }

    @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8])
    func `a changed byte is refused, or results in a working state`(mask: UInt8) {
        var taken = 0
        // A third of the bytes with each mask: all with one of them.
        let first = mask == 0x01 ? 1 : mask == 0x80 ? 2 : 3
        for index in stride(from: first, to: Self.rich.count, by: 3) {
            var bytes = Self.rich
            bytes[index] ^= mask
            if works(bytes) { taken += 1 }
        }
        #expect(taken > 0 && taken < Self.rich.count)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `several changed, removed or repeated bytes are refused, or result in a working state`(seed: UInt64) {
        var random = ReferenceGenerator(seed: seed)
        for _ in 0..<300 {
            var bytes = Self.rich
            for _ in 0...random.below(3) {
                let index = 1 + random.below(bytes.count - 1)
                switch random.below(4) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(bytes[index], at: index)
                default: bytes[index] = UInt8(random.below(256))
                }
            }
            _ = works(bytes)
        }
    }

    @Test(arguments: [1, rich[0]] as [UInt8])
    func `random bytes are refused`(version: UInt8) {
        var random = ReferenceGenerator(seed: 3)
        for _ in 0..<2000 {
            let rest = (0..<random.below(200)).map { _ in UInt8(random.below(random.below(4) == 0 ? 256 : 4)) }
            #expect(throws: SnapshotError.self, "\(rest)") { try SchedulerSubject(restoring: [version] + rest) }
        }
    }

    @Test func `an excessive length reserves no memory`() {
        let numbers: [UInt8] = [1] + Array(repeating: 0, count: 10)
        let largest: [UInt8] = Array(repeating: 0xFF, count: 9) + [0x01]
        for count in 0..<5 {
            let bytes = numbers + Array(repeating: 0, count: count) + largest
            #expect(throws: SnapshotError.damaged("a table is too large", at: bytes.count)) {
                try SchedulerSubject(restoring: bytes)
            }
        }
    }

    /// Whether the bytes are taken; what is taken has to go through its timers and many commands.
    private func works(_ bytes: [UInt8]) -> Bool {
        guard let subject = try? SchedulerSubject(restoring: bytes) else { return false }
        #expect(subject.state == bytes)
        let start = subject.nextDeadline ?? 0
        for _ in 0..<20 { _ = subject.step(until: start + 2000) }
        let commands: [Instruction] = [
            .show(Instruction.Request(id: "new", group: "line", exclusive: .all, flow: .init("f"))),
            .removePolicy("*"), .policy("*", .lifo), .advance("flows/held"), .resume(token: "some"),
            .lease("r1", []), .page("t", .close("n1")), .setSession("paged", "s3"),
            .update(Instruction.Change(id: "next", priority: 50)), .report("V", client: "r2", .visible),
            .answer("asked", client: "r2", .accept), .clear(Instruction.Choice()),
        ]
        for command in commands { _ = subject.perform(command, at: start + 3000) }
        for _ in 0..<20 { _ = subject.step(until: start + 100_000) }
        return (try? SchedulerSubject(restoring: subject.state)) != nil
    }
}
