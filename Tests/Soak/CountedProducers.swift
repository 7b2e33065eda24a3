import PopupProtocol
import ZeroMQ

/// Producers that number their commands, and the acknowledgements that they get.
struct CountedProducers: ~Copyable {
    private static let count = 8
    /// Commands without an acknowledgement, of all producers.
    private static let window = 2048

    private let acks: Socket
    private let names: [String]
    /// The bytes that name each in a command.
    private let prefixes: [[UInt8]]
    private var sent = [UInt64](repeating: 0, count: count)
    private var settled = [UInt64](repeating: 0, count: count)
    private var turn = 0

    init(_ context: Context, _ broker: SoakedBroker) throws {
        let names = (0..<Self.count).map { "736f616b00000000000000000000000\($0)" }
        let acks = try Socket(context, .sub, options: [.receiveHighWaterMark(0)])
        try acks.connect(broker.egress)
        for name in names { try acks.subscribe(to: "acks/\(name)/") }
        self.acks = acks
        self.names = names
        prefixes = names.map { [1 << 3 | 2, 32] + Array($0.utf8) }
    }

    /// Numbered commands that have no acknowledgement yet.
    var unsettled: Int { Int(sent.reduce(0, +) - settled.reduce(0, +)) }
    var hasRoom: Bool { unsettled < Self.window }

    /// The command as the next one of the next producer.
    mutating func number(_ command: [UInt8]) -> [UInt8] {
        turn = (turn + 1) % Self.count
        sent[turn] += 1
        var bytes = prefixes[turn] + [2 << 3]
        var value = sent[turn]
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
        return bytes + command
    }

    mutating func takeIn(_ tally: inout TrafficTally) throws {
        while let topic = try acks.receive() {
            let name = String(decoding: topic.copy().dropFirst("acks/".utf8.count).prefix(32), as: UTF8.self)
            guard topic.more, let body = try acks.receive(wait: true), let producer = names.firstIndex(of: name) else {
                tally.note("an acknowledgement for nobody")
                continue
            }
            let ack: WireAck = try WireEncoding.binary.decode(body.copy())
            if ack.cumulative > sent[producer] { tally.note("an acknowledgement for what was not sent") }
            if let refusal = ack.refusals.first { tally.note("\(name) \(refusal.sequence): \(refusal.detail)") }
            settled[producer] = max(settled[producer], ack.cumulative)
        }
    }
}
