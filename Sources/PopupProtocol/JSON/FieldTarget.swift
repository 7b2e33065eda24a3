/// What the fields of a message are read into.
protocol FieldTarget {
    /// Begins a field, and returns what tells its end where that was.
    mutating func beginField() -> Int

    /// Ends a field.
    ///
    /// - Parameters:
    ///   - replaces: Whether it takes the place of what came before under its number.
    ///   - isNull: Whether it was `null`, and nothing was set.
    mutating func endField(_ field: WireField, from start: Int, replaces: Bool, isNull: Bool)

    /// Sets a number, a truth value (0 or 1) or the value of an enum, as binary has them.
    mutating func set(_ field: WireField, _ value: UInt64)

    /// Sets text that stands in a part of the frame.
    mutating func set(_ field: WireField, _ range: Range<Int>, of text: Span<UInt8>)

    /// Sets text or bytes.
    mutating func set(_ field: WireField, bytes: [UInt8])

    /// Reads a message of a message, whose object begins next.
    mutating func read(
        _ field: WireField, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError)
}

/// A message as a target: what is read is set in it at once.
struct MessageTarget: FieldTarget {
    private(set) var message: any SchemaMessage

    init(_ message: some SchemaMessage) { self.message = message }

    mutating func beginField() -> Int { 0 }

    mutating func endField(_ field: WireField, from start: Int, replaces: Bool, isNull: Bool) {
        if replaces, isNull { message.set(field.number, .none) }
    }

    mutating func set(_ field: WireField, _ value: UInt64) {
        message.set(field.number, .number(value))
    }

    mutating func set(_ field: WireField, _ range: Range<Int>, of text: Span<UInt8>) {
        message.set(field.number, .text(text.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }))
    }

    mutating func set(_ field: WireField, bytes: [UInt8]) {
        message.set(field.number, field.kind == .bytes ? .data(bytes) : .text(String(decoding: bytes, as: UTF8.self)))
    }

    mutating func read(
        _ field: WireField, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        try message.read(field.number, by: &reader, in: text)
    }
}
