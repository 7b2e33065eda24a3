import SwiftProtobuf

/// A target for commands: a `show` or `dismiss` is written as bytes, another command as a message, the sender as both.
struct CommandTarget: FieldTarget {
    private(set) var binary = MessageBytes()
    private var start = 0
    /// The command, unless it is a `show` or a `dismiss`.
    private var message: WireCommand?

    mutating func removeAll() { binary.removeAll() }

    /// Begins a command.
    mutating func begin() {
        start = binary.count
        binary.begin()
        message = nil
    }

    /// Ends a valid command, and returns its content.
    mutating func end() -> CommandJSON.Content {
        binary.end()
        guard var command = message else { return .binary(start..<binary.count) }
        setSender(of: &command)
        binary.truncate(to: start)
        return .command(command)
    }

    /// Ends a refused command, and returns the parts that could be read.
    mutating func endRefused() -> (WireCommand?, CommandSender?) {
        binary.end()
        let bytes = Array(binary.bytes[start...])
        binary.truncate(to: start)
        return (message ?? (try? WireCommand(serializedBytes: bytes)), CommandSender(binary: bytes.span))
    }

    /// Sets the sender of a message: the bytes contain only its producer and sequence.
    private func setSender(of command: inout WireCommand) {
        var reader = FieldReader(start..<binary.count)
        let bytes = binary.bytes.span
        while let tag = reader.tag(in: bytes) {
            if tag == WireKeys.Command.sequence.tag {
                command.sequence = reader.varint(in: bytes) ?? 0
            } else if let range = reader.bytes(in: bytes) {
                command.producer = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    @inline(__always)
    mutating func beginField() -> Int { binary.beginField() }

    @inline(__always)
    mutating func endField(_ field: WireField, from start: Int, replaces: Bool, isNull: Bool) {
        binary.endField(field, from: start, replaces: replaces, isNull: isNull)
    }

    mutating func set(_ field: WireField, _ value: UInt64) { binary.set(field, value) }

    mutating func set(_ field: WireField, _ range: Range<Int>, of text: Span<UInt8>) {
        binary.set(field, range, of: text)
    }

    mutating func set(_ field: WireField, bytes: [UInt8]) { binary.set(field, bytes: bytes) }

    mutating func read(
        _ field: WireField, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch UInt64(field.number) {
        case WireKeys.Command.show.number, WireKeys.Command.dismiss.number:
            try binary.read(field, by: &reader, in: text)
        default:
            var command = WireCommand()
            try command.read(field.number, by: &reader, in: text)
            message = command
        }
    }
}
