import PopupProtocol
import Testing

@testable import PopupClient

@Suite("The commands that wait to be sent")
struct OutboxTests {
    @Test("go alone as they are, and together in a batch")
    func frames() throws {
        var outbox = Outbox(limits: ClientLimits())
        try outbox.append(entry(1, command("A")))

        #expect(next(&outbox) == [Frame(["A"], isBatch: false)])

        try outbox.append(entry(2, command("B")))
        try outbox.append(entry(3, command("C")))
        #expect(next(&outbox) == [Frame(["B", "C"], isBatch: true)])
    }

    @Test("fill frames up to the limits, in order")
    func limits() throws {
        var limits = ClientLimits()
        limits.batchCommands = 2
        limits.batchBytes = 100
        var outbox = Outbox(limits: limits)
        for (id, name) in ["A", "B", "C", "D", "E"].enumerated() {
            // D takes more than a batch may hold.
            try outbox.append(entry(UInt64(id), command(name, size: name == "D" ? 200 : 0)))
        }

        #expect(
            next(&outbox) == [
                Frame(["A", "B"], isBatch: true), Frame(["C"], isBatch: true), Frame(["D"], isBatch: false),
                Frame(["E"], isBatch: false),
            ])
        #expect(outbox.byteCount == 0)
    }

    @Test("are at most so many, and take at most so many bytes")
    func bounds() throws {
        var limits = ClientLimits()
        limits.queuedCommands = 2
        limits.queuedBytes = 100
        var outbox = Outbox(limits: limits)
        try outbox.append(entry(1, [UInt8](repeating: 0, count: 60)))

        #expect(throws: ClientError.queueFull(limit: 100)) {
            try outbox.append(entry(2, [UInt8](repeating: 0, count: 41)))
        }
        try outbox.append(entry(3, [UInt8](repeating: 0, count: 40)))
        #expect(throws: ClientError.queueFull(limit: 2)) { try outbox.append(entry(4, [])) }
        #expect(outbox.remove(1)?.id == 1)
        #expect(outbox.remove(1) == nil)
        try outbox.append(entry(5, []))
        #expect(outbox.entries.map(\.id) == [3, 5])
    }

    @Test("are given up when their time is over")
    func overdue() throws {
        let start = ContinuousClock.now
        var outbox = Outbox(limits: ClientLimits())
        for (id, seconds) in [(1, 3), (2, 1), (3, 2)] {
            try outbox.append(entry(UInt64(id), command("A"), deadline: start + .seconds(seconds)))
        }

        #expect(outbox.deadline == start + .seconds(1))
        #expect(outbox.removeOverdue(at: start + .milliseconds(999)).map(\.id) == [])
        #expect(outbox.removeOverdue(at: start + .seconds(2)).map(\.id) == [2, 3])
        #expect(outbox.deadline == start + .seconds(3))
        #expect(outbox.entries.map(\.id) == [1])
    }

    private struct Frame: Equatable {
        var popups: [String]
        var isBatch: Bool

        init(_ popups: [String], isBatch: Bool) {
            self.popups = popups
            self.isBatch = isBatch
        }
    }

    private func next(_ outbox: inout Outbox) -> [Frame] {
        var frames: [Frame] = []
        var frame: [UInt8] = []
        while case let served = outbox.fillFrame(&frame), served > 0 {
            let popups = Ingress.commands(in: frame).map { (try? $0.get())?.show.id ?? "?" }
            frames.append(Frame(popups, isBatch: frame.first == BatchFrame.firstByte))
            _ = outbox.removeFirst(served)
        }
        return frames
    }

    private func command(_ id: String, size: Int = 0) -> [UInt8] {
        var command = WireCommand()
        command.show = Popup(id: id, group: "g", text: String(repeating: "x", count: size))
        return try! WireEncoding.binary.encode(command)
    }

    private func entry(_ id: UInt64, _ bytes: [UInt8], deadline: ContinuousClock.Instant = .now) -> Outbox.Entry {
        Outbox.Entry(id: id, bytes: bytes, deadline: deadline, timeout: .zero, completion: nil)
    }
}
