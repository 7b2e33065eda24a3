import PopupProtocol
import Testing

@testable import PopupClient

@Suite("The commands that wait to be sent")
struct SendQueueTests {
    @Test("go alone as they are, and together in a batch")
    func frames() throws {
        var pipeline = pipeline()
        try pipeline.append(entry(1, "A"), nil)

        #expect(next(&pipeline) == [Frame(["A"], isBatch: false)])

        try pipeline.append(entry(2, "B"), nil)
        try pipeline.append(entry(3, "C"), nil)
        #expect(next(&pipeline) == [Frame(["B", "C"], isBatch: true)])
    }

    @Test("fill frames up to the limits, in order")
    func limits() throws {
        var limits = ClientLimits()
        limits.batchCommands = 2
        limits.batchBytes = 100
        var pipeline = pipeline(limits)
        for (id, name) in ["A", "B", "C", "D", "E"].enumerated() {
            // D takes more than a batch may hold.
            try pipeline.append(entry(UInt64(id), name, size: name == "D" ? 200 : 0), nil)
        }

        #expect(
            next(&pipeline) == [
                Frame(["A", "B"], isBatch: true), Frame(["C"], isBatch: false), Frame(["D"], isBatch: false),
                Frame(["E"], isBatch: false),
            ])
        #expect(pipeline.queue.byteCount == 0)
        #expect(pipeline.queue.isEmpty)
    }

    @Test("are numbered as they are sent, while the window has room; what comes behind them waits with them")
    func numbering() throws {
        var pipeline = pipeline()
        for id in 1...256 as ClosedRange<UInt64> { try pipeline.append(entry(id, "\(id)", .confirmed), nil) }
        try pipeline.append(entry(257, "query"), nil)
        try pipeline.append(entry(258, "late", .confirmed), nil)
        try pipeline.append(entry(259, "last"), nil)

        let sent = next(&pipeline).flatMap(\.commands)
        #expect(sent.map(\.sequence) == Array(1...256) + [0])
        #expect(sent.map(\.advance.group) == (1...256).map { "\($0)" } + ["query"])
        #expect(Set(sent.map(\.producer)) == [Self.name.description, ""])

        var ack = WireAck()
        ack.epoch = 1
        ack.cumulative = 1
        _ = pipeline.receive(ack, at: .now) { Self.name }
        #expect(next(&pipeline) == [Frame(["late", "last"], isBatch: true)])
        #expect(pipeline.window.commands.map(\.id) == Array(2...256) + [258])
    }

    @Test("go behind those that are sent again")
    func again() throws {
        let start = ContinuousClock.now
        var pipeline = pipeline()
        try pipeline.append(entry(1, "A", .confirmed), nil)
        _ = next(&pipeline, at: start)
        try pipeline.append(entry(2, "B", .confirmed), nil)

        #expect(next(&pipeline, at: start + .milliseconds(250)) == [Frame(["A", "B"], isBatch: true)])
        #expect(pipeline.resendDeadline == start + .milliseconds(750))
    }

    @Test("are at most so many, and take at most so many bytes")
    func bounds() throws {
        var limits = ClientLimits()
        limits.queuedCommands = 2
        limits.queuedBytes = 100
        var queue = SendQueue(limits: limits)
        try queue.append(entry(1, bytes: 60))

        #expect(throws: ClientError.queueFull(limit: 100)) { try queue.append(entry(2, bytes: 41)) }
        try queue.append(entry(3, bytes: 40))
        #expect(throws: ClientError.queueFull(limit: 2)) { try queue.append(entry(4, bytes: 0)) }
        #expect(queue.remove(1)?.id == 1)
        #expect(queue.remove(1)?.id == nil)
        try queue.append(entry(5, bytes: 0))
        #expect(queue.waiting.map(\.id) == [3, 5])
        #expect(queue.byteCount == 40)
    }

    @Test("are given up when their time is over, if they have one")
    func overdue() throws {
        let start = ContinuousClock.now
        var queue = SendQueue(limits: ClientLimits())
        for (id, seconds) in [(1, 3), (2, 1), (3, 2)] {
            try queue.append(entry(UInt64(id), bytes: 1, deadline: start + .seconds(seconds)))
        }
        try queue.append(entry(4, bytes: 1))

        #expect(queue.deadline == start + .seconds(1))
        #expect(queue.removeOverdue(at: start + .milliseconds(999)).map(\.id) == [])
        #expect(queue.removeOverdue(at: start + .seconds(2)).map(\.id) == [2, 3])
        #expect(queue.deadline == start + .seconds(3))
        #expect(queue.waiting.map(\.id) == [1, 4])
        #expect(queue.byteCount == 2)
    }

    @Test("leave in any number without the rest being lost", arguments: [1, 7, 1000, 1025, 3000])
    func draining(step: Int) throws {
        var queue = SendQueue(limits: ClientLimits())
        for id in 0..<4000 as Range<UInt64> { try queue.append(entry(id, bytes: 0)) }
        var drained: [UInt64] = []
        while !queue.isEmpty { drained += queue.removeFirst(min(step, queue.waiting.count)).map(\.id) }
        #expect(drained == Array(0..<4000))
    }

    private static let name = ProducerName(high: 1, low: 2)

    private struct Frame: Equatable, CustomStringConvertible {
        var commands: [WireCommand]
        var isBatch: Bool

        init(_ commands: [WireCommand], isBatch: Bool) {
            self.commands = commands
            self.isBatch = isBatch
        }

        init(_ names: [String], isBatch: Bool) {
            self.init(names.map { SendQueueTests.command($0) }, isBatch: isBatch)
        }

        var names: [String] { commands.map(\.advance.group) }
        var description: String { "\(names) \(isBatch)" }

        static func == (left: Frame, right: Frame) -> Bool {
            left.names.map { $0.prefix { $0 != "x" } } == right.names.map { $0.prefix { $0 != "x" } }
                && left.isBatch == right.isBatch
        }
    }

    private func pipeline(_ limits: ClientLimits = ClientLimits()) -> SendPipeline {
        SendPipeline(limits: limits, producer: Self.name)
    }

    private func next(_ pipeline: inout SendPipeline, at now: ContinuousClock.Instant = .now) -> [Frame] {
        var frames: [Frame] = []
        while let frame = pipeline.nextFrame(at: now) {
            let commands = Ingress.commands(in: frame.bytes).compactMap { try? $0.get() }
            frames.append(Frame(commands, isBatch: frame.bytes.first == BatchFrame.firstByte))
            _ = pipeline.taken(frame, at: now)
        }
        return frames
    }

    private static func command(_ name: String, size: Int = 0) -> WireCommand {
        var command = WireCommand()
        command.advance.group = name + String(repeating: "x", count: size)
        return command
    }

    private func entry(
        _ id: UInt64, _ name: String, size: Int = 0, _ kind: SendQueue.Entry.Kind = .bestEffort
    ) -> SendQueue.Entry {
        let body = try! WireEncoding.binary.encode(Self.command(name, size: size))
        return SendQueue.Entry(id: id, kind: kind, body: body, deadline: nil)
    }

    private func entry(
        _ id: UInt64, bytes: Int, deadline: ContinuousClock.Instant? = nil
    ) -> SendQueue.Entry {
        SendQueue.Entry(
            id: id, kind: .bestEffort, body: [UInt8](repeating: 0, count: bytes), deadline: deadline)
    }
}
