/// A destination for the fields of a message.
protocol FieldTarget {
    /// Begins a field. Returns its start, to be passed to `endField`.
    mutating func beginField() -> Int

    /// Ends a field.
    ///
    /// - Parameters:
    ///   - replaces: Whether the field replaces earlier values with its number.
    ///   - isNull: Whether the value was `null`, so that nothing was set.
    mutating func endField(_ field: WireField, from start: Int, replaces: Bool, isNull: Bool)

    /// Sets a number, a Boolean (0 or 1) or the value of an enum, as in the binary encoding.
    mutating func set(_ field: WireField, _ value: UInt64)

    /// Sets text from a range of the frame.
    mutating func set(_ field: WireField, _ range: Range<Int>, of text: Span<UInt8>)

    /// Sets text or bytes.
    mutating func set(_ field: WireField, bytes: [UInt8])

    /// Reads the next object as the nested message of a field.
    mutating func read(
        _ field: WireField, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError)
}

/// A target that sets the fields of a message directly.
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
