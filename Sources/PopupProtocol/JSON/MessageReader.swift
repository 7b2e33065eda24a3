import SwiftProtobuf

/// A reader of JSON texts of the schema. It sets the fields of a target, which is a message or the bytes of one.
///
/// It reads the text in one pass, and sets each field as it reads it. It keeps the first mistake, and continues: so
/// what follows the message can be read.
package struct MessageReader {
    /// The treatment of unknown fields, and of unknown values of enums.
    var unknownFields = WireJSON.Unknown.skipped
    var unknownChoices = WireJSON.Unknown.refused
    var reader = JSONReader()
    /// The first mistake.
    private(set) var fault: JSONFault?
    /// Whether an unknown field of the text was skipped.
    private(set) var hasSkipped = false
    private var path = FieldPath()

    /// Begins a text.
    mutating func begin() {
        reader.begin()
        hasSkipped = false
        forget()
    }

    /// Removes the state of the last message.
    mutating func forget() {
        fault = nil
        path.removeAll()
    }

    // MARK: - Messages

    /// The state of a message that is being read.
    struct Open {
        let message: Int
        fileprivate var isFirst = true
        fileprivate var hint = 0
        /// The fields that were read: one bit for each number.
        fileprivate(set) var seen: UInt64 = 0
        /// The oneofs of which a field was read: one bit for each.
        fileprivate(set) var oneofs: UInt64 = 0
    }

    /// Reads the next object into the fields of a message.
    mutating func readMessage(
        _ message: Int, into target: inout some FieldTarget, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        var open = try open(message, in: text)
        while let name = try readFields(&open, into: &target, in: text) { try skipUnknown(name, of: message, in: text) }
    }

    /// Reads the next object as a message.
    package mutating func readValue<Body: SchemaMessage>(in text: Span<UInt8>) throws(JSONSyntaxError) -> Body {
        var target = MessageTarget(Body())
        try readMessage(Body.schemaPlace, into: &target, in: text)
        return target.message as? Body ?? Body()
    }

    /// Reads the beginning of the next object.
    @inline(__always)
    mutating func open(_ message: Int, in text: Span<UInt8>) throws(JSONSyntaxError) -> Open {
        try reader.expect("{", in: text, or: "an object must begin there")
        return Open(message: message)
    }

    /// Reads fields until an unknown name, or until the end of the object. Returns the name, with the reader at its
    /// value, or `nil` at the end.
    @inline(__always)
    mutating func readFields(
        _ open: inout Open, into target: inout some FieldTarget, in text: Span<UInt8>
    ) throws(JSONSyntaxError) -> JSONReader.Text? {
        while true {
            if open.isFirst {
                open.isFirst = false
                if reader.take("}", in: text) { return nil }
            } else if !reader.take(",", in: text) {
                try reader.expect("}", in: text, or: "a comma or the end of an object is missing")
                return nil
            }
            let name = try reader.string(in: text)
            try reader.expect(":", in: text, or: "a colon is missing")
            guard let index = index(of: name, in: open.message, text, from: open.hint) else { return name }
            open.hint = index &+ 1
            path.goTo(index, of: open.message)
            try readField(WireSchema.messages[open.message].fields[index], of: &open, into: &target, in: text)
        }
    }

    @inline(__always)
    private mutating func readField(
        _ field: WireField, of open: inout Open, into target: inout some FieldTarget, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let start = target.beginField()
        let bit: UInt64 = 1 &<< UInt64(field.number)
        var isSecond = open.seen & bit != 0 && !field.isRepeated
        let isNull = try readField(field, into: &target, in: text)
        if field.oneof != 0 {
            if isNull {
                isSecond = false
            } else {
                let group: UInt64 = 1 &<< UInt64(field.oneof)
                if open.oneofs & group != 0 { recordConflict(field, in: open.message) }
                open.oneofs |= group
            }
        }
        open.seen |= bit
        target.endField(field, from: start, replaces: isSecond, isNull: isNull)
    }

    @inline(__always)
    private func index(
        of name: JSONReader.Text, in message: Int, _ text: Span<UInt8>, from hint: Int
    ) -> Int? {
        switch name {
        case .plain(let range): WireSchema.messages[message].index(of: range, in: text, from: hint)
        case .unescaped:
            WireSchema.messages[message].index(of: 0..<reader.unescaped.count, in: reader.unescaped.span, from: hint)
        case .unpaired: nil
        }
    }

    /// Skips the value of an unknown name of a message.
    private mutating func skipUnknown(
        _ name: JSONReader.Text, of message: Int, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        recordUnknown(name, of: message, in: text)
        try reader.skip(in: text)
    }
}

// Values.
extension MessageReader {
    /// Reads the value of a field. Returns whether it is `null`, which sets nothing.
    @inline(__always)
    private mutating func readField(
        _ field: WireField, into target: inout some FieldTarget, in text: Span<UInt8>
    ) throws(JSONSyntaxError) -> Bool {
        let opening = reader.next(in: text)
        if opening == UInt8(ascii: "n") {
            try reader.word("null", in: text)
            return true
        }
        guard field.isRepeated else {
            try readValue(field, opening, into: &target, in: text)
            return false
        }
        guard reader.take("[", in: text) else {
            try skip(expecting: .list, in: text)
            return false
        }
        if reader.take("]", in: text) { return false }
        var element = 0
        repeat {
            path.element = element
            element += 1
            try readValue(field, reader.next(in: text), into: &target, in: text)
        } while reader.take(",", in: text)
        try reader.expect("]", in: text, or: "a comma or the end of a list is missing")
        return false
    }

    private mutating func readValue(
        _ field: WireField, _ opening: UInt8, into target: inout some FieldTarget, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let start = reader.position
        switch (field.kind, opening) {
        case (.text, UInt8(ascii: "\"")):
            switch try reader.string(in: text) {
            case .plain(let range): target.set(field, range, of: text)
            case .unescaped: target.set(field, bytes: reader.unescaped)
            case .unpaired: recordFault(.type, start, .text, in: text)
            }
        case (.message, UInt8(ascii: "{")):
            path.goIn()
            try target.read(field, by: &self, in: text)
            path.goOut()
        case (.signed, _), (.unsigned, _), (.long, _):
            guard let number = try readNumber(opening, in: text) else { return }
            let value: UInt64? =
                switch field.kind {
                case .signed: number.signed.map { UInt64(bitPattern: Int64($0)) }
                case .unsigned: number.unsigned.map { UInt64($0) }
                default: number.long
                }
            guard let value else {
                return recordFault(number.form == .none ? .type : .range, start, .init(field), in: text)
            }
            target.set(field, value)
        case (.flag, UInt8(ascii: "t")):
            try reader.word("true", in: text)
            target.set(field, 1)
        case (.flag, UInt8(ascii: "f")):
            try reader.word("false", in: text)
            target.set(field, 0)
        case (.choice, UInt8(ascii: "\"")):
            let name = try reader.string(in: text)
            guard let number = number(named: name, in: field.choices, text) else {
                if unknownChoices == .skipped { return }
                return recordFault(.choice, start, .init(field), in: text)
            }
            target.set(field, UInt64(bitPattern: Int64(number)))
        case (.choice, UInt8(ascii: "-")), (.choice, UInt8(ascii: "0")...UInt8(ascii: "9")):
            // The number of the value, which this version need not have.
            guard let number = try reader.number(in: text).signed else {
                return recordFault(.choice, start, .init(field), in: text)
            }
            target.set(field, UInt64(bitPattern: Int64(number)))
        case (.bytes, UInt8(ascii: "\"")):
            var coded: [UInt8] = []
            let isCoded: Bool
            switch try reader.string(in: text) {
            case .plain(let range): isCoded = coded.decodeBase64(text.extracting(range))
            case .unescaped: isCoded = coded.decodeBase64(reader.unescaped.span)
            case .unpaired: isCoded = false
            }
            guard isCoded else { return recordFault(.type, start, .bytes, in: text) }
            target.set(field, bytes: coded)
        default: try skip(expecting: .init(field), in: text)
        }
    }

    /// Reads a number, with or without quotes. Returns `nil` for a value of another type, and records the fault.
    @inline(__always)
    private mutating func readNumber(
        _ opening: UInt8, in text: Span<UInt8>
    ) throws(JSONSyntaxError) -> JSONNumber? {
        switch opening {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try reader.number(in: text)
        case UInt8(ascii: "\""):
            switch try reader.string(in: text) {
            case .plain(let range): return JSONNumber(text.extracting(range))
            case .unescaped: return JSONNumber(reader.unescaped.span)
            case .unpaired: return JSONNumber.none
            }
        default:
            try skip(expecting: .init(path.field), in: text)
            return nil
        }
    }

    private func number(named name: JSONReader.Text, in choices: WireEnum, _ text: Span<UInt8>) -> Int32? {
        switch name {
        case .plain(let range): choices.number(of: range, in: text)
        case .unescaped: choices.number(of: 0..<reader.unescaped.count, in: reader.unescaped.span)
        case .unpaired: nil
        }
    }
}

// Mistakes.
extension MessageReader {
    /// Skips a value whose type is not that of its field, and records the fault.
    private mutating func skip(
        expecting expected: JSONFault.Expectation?, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let start = reader.position
        try reader.skip(in: text)
        recordFault(.type, start, expected, in: text)
    }

    /// Records that a value, from `start` to here, is not accepted by its field.
    @inline(never)
    private mutating func recordFault(
        _ kind: JSONFault.Kind, _ start: Int, _ expected: JSONFault.Expectation?, in text: Span<UInt8>
    ) {
        guard fault == nil else { return }
        fault = JSONFault(kind, path.text, JSONFault.excerpt(start..<reader.position, of: text), expected, at: start)
    }

    /// Records that a message has no field with this name: it is skipped, or a mistake.
    mutating func recordUnknown(_ name: JSONReader.Text, of message: Int, in text: Span<UInt8>) {
        guard unknownFields == .refused else {
            hasSkipped = true
            return
        }
        guard fault == nil else { return }
        let name = reader.excerpt(name, in: text)
        let meant = WireSchema.messages[message].suggestion(for: name) ?? ""
        fault = JSONFault(.unknownField, path.text(of: name), meant, at: reader.position)
    }

    /// Records that a message has two fields of which it may have only one.
    @inline(never)
    private mutating func recordConflict(_ field: WireField, in message: Int) {
        guard fault == nil else { return }
        let message = WireSchema.messages[message]
        let others = message.fields.indices.filter { message.fields[$0].oneof == field.oneof }
        let names = others.map { "`\(message.names[$0])`" }.joined(separator: ", ")
        fault = JSONFault(.conflict, path.text, "another of \(names)", at: reader.position)
    }
}
