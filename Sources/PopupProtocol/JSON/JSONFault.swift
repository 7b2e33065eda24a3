/// The mistake because of which a JSON text is not a message of the schema.
public struct JSONFault: Error, Hashable, Sendable {
    /// The kind of the mistake.
    public enum Kind: Hashable, Sendable {
        /// The text is not JSON from a position on.
        case syntax
        /// The type of a value is not that of its field.
        case type
        /// A number is out of the range of its field.
        case range
        /// No value of the enum has this name.
        case choice
        /// The message has two fields of which it may have only one.
        case conflict
        /// No field has that name.
        case unknownField
    }

    /// The values that a field accepts.
    public enum Expectation: Hashable, Sendable {
        case text
        case bytes
        case flag
        /// An integer within these bounds.
        case number(from: Int64, to: UInt64)
        /// One of these names.
        case choice([String])
        case list
        case object
    }

    /// The kind of the mistake.
    public var kind: Kind
    /// The path of the field, such as `show.actions[2].id`; empty for the complete text.
    public var path: String
    /// The value as written, shortened; for a syntax error its description, for a conflict the other field,
    /// for an unknown field the one that may be meant.
    public var value: String
    /// The values that the field accepts, if they are known.
    public var expected: Expectation?
    /// The position of the value, or of the error, in bytes.
    public var position: Int

    /// The maximum size of a value in a fault, in bytes.
    static let maxExcerptBytes = 40

    /// The reason with which the broker refuses a command with this mistake.
    public var reason: CommandRefusal.Reason {
        switch kind {
        case .range, .choice: .invalid
        case .syntax, .type, .conflict, .unknownField: .malformed
        }
    }

    init(_ kind: Kind, _ path: String = "", _ value: String, _ expected: Expectation? = nil, at position: Int) {
        self.kind = kind
        self.path = path
        self.value = value
        self.expected = expected
        self.position = position
    }

    init(_ error: JSONSyntaxError) {
        self.init(.syntax, "", "\(error.what)", at: error.position)
    }

    /// Returns the beginning of a value, on one line.
    static func excerpt(_ range: Range<Int>, of text: Span<UInt8>) -> String {
        let isLong = range.count > maxExcerptBytes
        var end = isLong ? range.lowerBound + maxExcerptBytes : range.upperBound
        // Not within a character.
        while isLong, end > range.lowerBound, text[end] & 0xC0 == 0x80 { end -= 1 }
        var value = ""
        text.extracting(range.lowerBound..<end).withUnsafeBytes { bytes in
            for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
                value.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
            }
        }
        return isLong ? value + "…" : value
    }
}

extension JSONFault: CustomStringConvertible {
    /// One sentence that says what is wrong, where, and what to do.
    public var description: String {
        switch kind {
        case .syntax: "the text is not valid JSON at byte \(position): \(value)"
        case .type, .range, .choice:
            "\(path.isEmpty ? "the text" : "`\(path)`") is \(value); it must be \(expected.map { "\($0)" } ?? "something else")"
        case .conflict: "`\(path)` is given together with \(value); give one of them"
        case .unknownField:
            "there is no field `\(path)`; \(value.isEmpty ? "check its spelling" : "did you mean `\(value)`?")"
        }
    }
}

extension JSONFault.Expectation: CustomStringConvertible {
    /// The accepted values, for people.
    public var description: String {
        switch self {
        case .text: "text"
        case .bytes: "bytes in base64"
        case .flag: "true or false"
        case .number(let lowest, let highest): "a whole number from \(lowest) to \(highest)"
        case .choice(let names): "one of \(names.joined(separator: ", "))"
        case .list: "a list"
        case .object: "an object"
        }
    }

    init(_ field: WireField) {
        self =
            switch field.kind {
            case .text: .text
            case .bytes: .bytes
            case .flag: .flag
            case .signed: .number(from: Int64(Int32.min), to: UInt64(Int32.max))
            case .unsigned: .number(from: 0, to: UInt64(UInt32.max))
            case .long: .number(from: 0, to: .max)
            case .choice: .choice(field.choices.names.map { "\($0)" })
            case .message: .object
            }
    }
}
