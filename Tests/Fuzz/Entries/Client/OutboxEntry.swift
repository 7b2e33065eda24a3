@testable import PopupClient
import PopupProtocol

/// Bytes as the file of an outbox. What is read is written so that it is read again, and goes on.
enum OutboxEntry {
    static func run(_ input: [UInt8]) throws -> Bool {
        let isAccepted = try check(input)
        // Behind checksums that fit: the content alone, cut into records.
        var file = OutboxRecord.signature
        var reader = InputReader(input)
        while !reader.isAtEnd {
            let producer = ProducerName(high: 1, low: UInt64(reader.byte() % 2))
            switch reader.byte() % 3 {
            case 0: OutboxRecord.numbering(producer, next: reader.number()).append(to: &file)
            case 1: OutboxRecord.command(producer, sequence: reader.number(), body: reader.string()).append(to: &file)
            default: OutboxRecord.settled(producer, [reader.number(), reader.number()]).append(to: &file)
            }
        }
        return try check(file) || isAccepted
    }

    /// Returns whether the bytes are read as an outbox with a command.
    private static func check(_ bytes: [UInt8]) throws -> Bool {
        let name = ProducerName(high: 7, low: 9)
        guard let reading = OutboxContents.read(bytes, newName: name) else { return false }
        var contents = reading.contents
        guard let again = OutboxContents.read(contents.file, newName: name), again.contents == contents,
            again.lostBytes == 0, !again.isDamaged
        else { throw Finding("an outbox is not read as it was written") }
        _ = contents.add([[1, 2, 3]])
        var window = DeliveryWindow(continuing: reading.contents)
        var oldest: UInt64?
        for command in reading.contents.commands.prefix(300) {
            guard DeliveryWindow.holds(command.sequence, from: oldest ?? command.sequence) else { break }
            oldest = oldest ?? command.sequence
            window.add(command.sequence, command.body, as: command.sequence, at: ContinuousClock.now)
        }
        var ack = WireAck()
        ack.cumulative = contents.commands.last?.sequence ?? 0
        _ = window.receive(ack, at: ContinuousClock.now) { name }
        return !reading.contents.commands.isEmpty
    }
}
