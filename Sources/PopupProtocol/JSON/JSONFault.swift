/// Why JSON text is no message of the schema.
public struct JSONFault: Error, Hashable, Sendable {
    /// What kind of mistake it is.
    public enum Kind: Hashable, Sendable {
        /// The text is no JSON at a byte.
        case syntax
        /// A value is of another type than its field.
        case type
        /// A number that its field can't have.
        case range
        /// A name that no value of the enum has.
        case choice
        /// A second field of which a message has but one.
        case conflict
        /// No field has that name.
        case unknownField
    }

    /// What a field takes.
    public enum Expectation: Hashable, Sendable {
        case text
        case bytes
        case flag
        /// A whole number within these bounds.
        case number(from: Int64, to: UInt64)
        /// One of these names.
        case choice([String])
        case list
        case object
    }

    /// What kind of mistake it is.
    public var kind: Kind
    /// The path of the field: `show.actions[2].id`; empty for the whole.
    public var path: String
    /// The value as it is written, shortened; of a syntax error what is wrong there; of a conflict the other field.
    public var value: String
    /// What the field takes, where that can be told.
    public var expected: Expectation?
    /// The byte at which the value, or the error, is.
    public var position: Int

    /// Bytes of a value that a fault tells, at most.
    static let toldBytes = 40

    /// The reason with which a broker refuses such a command.
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

    /// A value as it is told: its beginning, on one line.
    static func told(_ range: Range<Int>, of text: Span<UInt8>) -> String {
        let isLong = range.count > toldBytes
        var end = isLong ? range.lowerBound + toldBytes : range.upperBound
        // Not through the middle of a character.
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
    /// What is wrong, where, and what to do.
    public var description: String {
        switch kind {
        case .syntax: "the text is not valid JSON at byte \(position): \(value)"
        case .type, .range, .choice:
            "\(path.isEmpty ? "the text" : "`\(path)`") is \(value); it must be \(expected.map { "\($0)" } ?? "something else")"
        case .conflict: "`\(path)` is given together with \(value); give one of them"
        case .unknownField: "there is no field `\(path)`; check its spelling"
        }
    }
}

extension JSONFault.Expectation: CustomStringConvertible {
    /// What the field takes, for people.
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
