/// A value of JSON that is no message of the schema: a message of another service, a file, a report of a program.
public enum AnyJSON: Hashable, Sendable {
    /// The value `null`.
    case null
    /// The value `true` or `false`.
    case flag(Bool)
    /// An integer. If it was read, its magnitude has at most 64 bits.
    case integer(Int128)
    /// Any other number, which is finite.
    case decimal(Double)
    /// A string.
    case text(String)
    /// An array.
    case list([AnyJSON])
    /// An object.
    case object([String: AnyJSON])

    /// Creates an object. Members without a value are left out.
    public init(members: [String: AnyJSON?]) {
        self = .object(members.compactMapValues(\.self))
    }

    /// Returns an integer.
    public static func number(_ number: some BinaryInteger) -> AnyJSON { .integer(Int128(number)) }

    /// The member of this name; `nil` if the value is no object, or has no such member.
    public subscript(name: String) -> AnyJSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// Returns the integer; `nil` if the value is none, or does not fit.
    public func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        if case .integer(let number) = self { Integer(exactly: number) } else { nil }
    }

    /// The string; `nil` if the value is none.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Whether the value is `true`; `nil` if it is no Boolean.
    public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
}

// MARK: - Reading

extension AnyJSON {
    /// Reads a text. Of several members with the same name, the last one counts. A byte order mark is skipped.
    ///
    /// - Throws: `JSONFault` if the text is not JSON, is nested deeper than `Ingress.maxNesting`, or has half of a
    ///   surrogate pair or a number that is too large.
    public init(_ text: [UInt8]) throws(JSONFault) {
        let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var values = AnyJSONReader()
        do throws(JSONSyntaxError) {
            self = try values.document(in: text.span.extracting(start..<text.count))
        } catch {
            throw JSONFault(error)
        }
    }

    /// Returns the text of an object without the first member of this name.
    ///
    /// - Throws: `JSONFault` if the text before the end of that member is not an object.
    package static func text(_ object: [UInt8], without name: String) throws(JSONFault) -> [UInt8] {
        var values = AnyJSONReader()
        do throws(JSONSyntaxError) {
            var rest = object
            if let member = try values.range(ofMember: name, in: object.span) { rest.removeSubrange(member) }
            return rest
        } catch {
            throw JSONFault(error)
        }
    }
}

/// The values that a reader's tokens form.
private struct AnyJSONReader {
    private var reader = JSONReader()

    mutating func document(in text: Span<UInt8>) throws(JSONSyntaxError) -> AnyJSON {
        let value = try value(in: text, level: 0)
        try reader.end(of: text)
        return value
    }

    /// Returns the range of the first member of this name, with one comma, in an object; `nil` if there is none.
    mutating func range(ofMember wanted: String, in text: Span<UInt8>) throws(JSONSyntaxError) -> Range<Int>? {
        try reader.expect("{", in: text, or: "an object must begin there")
        if reader.take("}", in: text) { return nil }
        var isFirst = true
        while true {
            let start = reader.position
            let name = try string(in: text)
            try reader.expect(":", in: text, or: "a colon is missing")
            try reader.skip(in: text)
            let end = reader.position
            let isLast = !reader.take(",", in: text)
            if name == wanted {
                // Without the comma after it, or else without the one before it.
                return isLast ? (isFirst ? start : start - 1)..<end : start..<reader.position
            }
            if isLast { return nil }
            isFirst = false
        }
    }

    private mutating func value(in text: Span<UInt8>, level: Int) throws(JSONSyntaxError) -> AnyJSON {
        switch reader.next(in: text) {
        case UInt8(ascii: "{"): return .object(try members(in: text, level: level))
        case UInt8(ascii: "["): return .list(try elements(in: text, level: level))
        case UInt8(ascii: "\""): return .text(try string(in: text))
        case UInt8(ascii: "t"):
            try reader.word("true", in: text)
            return .flag(true)
        case UInt8(ascii: "f"):
            try reader.word("false", in: text)
            return .flag(false)
        case UInt8(ascii: "n"):
            try reader.word("null", in: text)
            return .null
        default: return try number(in: text)
        }
    }

    private mutating func members(in text: Span<UInt8>, level: Int) throws(JSONSyntaxError) -> [String: AnyJSON] {
        try begin("{", in: text, level: level)
        var members: [String: AnyJSON] = [:]
        if reader.take("}", in: text) { return members }
        repeat {
            let name = try string(in: text)
            try reader.expect(":", in: text, or: "a colon is missing")
            members[name] = try value(in: text, level: level + 1)
        } while reader.take(",", in: text)
        try reader.expect("}", in: text, or: "a comma or the end of an object is missing")
        return members
    }

    private mutating func elements(in text: Span<UInt8>, level: Int) throws(JSONSyntaxError) -> [AnyJSON] {
        try begin("[", in: text, level: level)
        var elements: [AnyJSON] = []
        if reader.take("]", in: text) { return elements }
        repeat {
            elements.append(try value(in: text, level: level + 1))
        } while reader.take(",", in: text)
        try reader.expect("]", in: text, or: "a comma or the end of a list is missing")
        return elements
    }

    private mutating func begin(
        _ bracket: Unicode.Scalar, in text: Span<UInt8>, level: Int
    ) throws(JSONSyntaxError) {
        guard level < Ingress.maxNesting else { throw reader.fault("values are nested deeper than 64 levels there") }
        try reader.expect(bracket, in: text, or: "a list or object must begin there")
    }

    private mutating func string(in text: Span<UInt8>) throws(JSONSyntaxError) -> String {
        switch try reader.string(in: text) {
        case .plain(let range):
            return text.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        case .unescaped: return String(decoding: reader.unescaped, as: UTF8.self)
        case .unpaired: throw reader.fault("half of a surrogate pair stands before it")
        }
    }

    private mutating func number(in text: Span<UInt8>) throws(JSONSyntaxError) -> AnyJSON {
        let start = reader.position
        let number = try reader.number(in: text)
        if number.form == .whole {
            let magnitude = Int128(number.magnitude)
            return .integer(number.isNegative ? -magnitude : magnitude)
        }
        let digits = text.extracting(start..<reader.position).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        guard let decimal = Double(digits), decimal.isFinite else { throw reader.fault("the number is too large") }
        return .decimal(decimal)
    }
}

// MARK: - Writing

extension AnyJSON: JSONValue {
    /// The value as JSON text, on one line, with the members of objects in alphabetical order.
    public var json: String {
        var json = JSONWriter()
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    package func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.append(literal: "null")
        case .flag(let flag): json.append(flag: flag)
        case .integer(let number): json.append(literal: "\(number)")
        case .decimal(let number): json.append(literal: Self.digits(of: number))
        case .text(let text): text.write(to: &json)
        case .list(let elements): elements.write(to: &json)
        case .object(let members):
            json.beginObject()
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                json.name(text: name)
                value.write(to: &json)
            }
            json.endObject()
        }
    }

    /// Returns a number as JSON has it: without the fraction of a whole one.
    private static func digits(of number: Double) -> String {
        let digits = "\(number)"
        return digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
    }
}
