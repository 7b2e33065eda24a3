/// Writes JSON text of the schema anew in binary, without a message in between.
///
/// One pass: the text is read from its first byte to its last, and each field is written when it is read. The binary is,
/// byte by byte, what swift-protobuf makes of the same message, so that a repetition is known by its digest whichever way
/// it comes. What is wrong is noted, the first of it, and reading goes on: what comes after the message is still found.
struct MessageJSON {
    /// What was written of a field.
    private struct Entry {
        var field: WireField
        /// Where its bytes are; none: it only takes the place of what came before of its field.
        var bytes: Range<Int>
    }

    /// A field that holds the message being read.
    private struct Step {
        var message: Int
        var place: Int
        /// Its place in a list; `nil`: the field is none.
        var element: Int?

        var text: String {
            "\(WireSchema.messages[message].names[place])" + (element.map { "[\($0)]" } ?? "")
        }
    }

    /// What becomes of a name that no field has, and of one that no value of an enum has.
    var unknownFields = WireJSON.Unknown.skipped
    var unknownChoices = WireJSON.Unknown.refused
    var reader = JSONReader()
    /// What was written.
    private(set) var bytes: [UInt8] = []
    /// The first mistake.
    private(set) var fault: JSONFault?
    private var entries: [Entry] = []
    /// The fields on the way from the outermost message to the one that is read.
    private var path: [Step] = []
    /// The field that is read.
    private var step = Step(message: 0, place: 0)

    /// Begins a text.
    mutating func begin() {
        reader.begin()
        bytes.removeAll(keepingCapacity: true)
        forget()
    }

    /// Forgets what is noted of the message before.
    mutating func forget() {
        fault = nil
        entries.removeAll(keepingCapacity: true)
        path.removeAll(keepingCapacity: true)
    }

    // MARK: - Messages

    /// A message whose object is being read.
    struct Open {
        let message: Int
        fileprivate let firstEntry: Int
        fileprivate let start: Int
        fileprivate var isFirst = true
        fileprivate var isOrdered = true
        fileprivate var latest: UInt8 = 0
        fileprivate var hint = 0
        /// Bits of the fields that it has had, by their numbers.
        fileprivate(set) var seen: UInt64 = 0
        /// Bits of the oneofs of which it has a field.
        fileprivate(set) var oneofs: UInt64 = 0
    }

    /// Reads the object that begins next into the fields of a message, in the order of their numbers.
    mutating func readMessage(_ message: Int, in text: Span<UInt8>) throws(JSONSyntaxError) {
        var open = try open(message, in: text)
        while let name = try readFields(&open, in: text) { try skipUnknown(name, in: text) }
    }

    /// Begins the object that begins next.
    @inline(__always)
    mutating func open(_ message: Int, in text: Span<UInt8>) throws(JSONSyntaxError) -> Open {
        try reader.expect("{", in: text, or: "an object must begin there")
        return Open(message: message, firstEntry: entries.count, start: bytes.count)
    }

    /// Reads fields until a name that none has, which is returned, with the reader at its value, or to the object's end.
    @inline(__always)
    mutating func readFields(
        _ open: inout Open, in text: Span<UInt8>
    ) throws(JSONSyntaxError) -> JSONReader.Text? {
        while true {
            if open.isFirst {
                open.isFirst = false
                if reader.take("}", in: text) { return nil }
            } else if !reader.take(",", in: text) {
                try reader.expect("}", in: text, or: "a comma or the end of an object is missing")
                if !open.isOrdered { arrange(from: open.firstEntry, open.start) }
                entries.removeSubrange(open.firstEntry...)
                return nil
            }
            let name = try reader.string(in: text)
            try reader.expect(":", in: text, or: "a colon is missing")
            guard let place = place(of: name, in: open.message, text, from: open.hint) else { return name }
            open.hint = place &+ 1
            step = Step(message: open.message, place: place)
            try readField(WireSchema.messages[open.message].fields[place], of: &open, in: text)
        }
    }

    @inline(__always)
    private mutating func readField(
        _ field: WireField, of open: inout Open, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let begin = bytes.count
        let bit: UInt64 = 1 &<< UInt64(field.number)
        var isSecond = open.seen & bit != 0 && !field.isRepeated
        let isNull = try readField(field, in: text)
        if field.oneof != 0 {
            if isNull {
                isSecond = false
            } else {
                let group: UInt64 = 1 &<< UInt64(field.oneof)
                if open.oneofs & group != 0 { noteConflict(field, in: open.message) }
                open.oneofs |= group
            }
        }
        open.seen |= bit
        guard bytes.count > begin || isSecond else { return }
        if isSecond || field.number < open.latest { open.isOrdered = false }
        entries.append(Entry(field: field, bytes: begin..<bytes.count))
        open.latest = max(open.latest, field.number)
    }

    @inline(__always)
    private func place(
        of name: JSONReader.Text, in message: Int, _ text: Span<UInt8>, from hint: Int
    ) -> Int? {
        switch name {
        case .plain(let range): WireSchema.messages[message].place(of: range, in: text, from: hint)
        case .unescaped:
            WireSchema.messages[message].place(of: 0..<reader.unescaped.count, in: reader.unescaped.span, from: hint)
        case .unpaired: nil
        }
    }

    /// Passes over the value of a name that no field has.
    private mutating func skipUnknown(_ name: JSONReader.Text, in text: Span<UInt8>) throws(JSONSyntaxError) {
        if unknownFields == .refused, fault == nil {
            let name = reader.told(name, in: text)
            let path = (path.map(\.text) + [name]).joined(separator: ".")
            fault = JSONFault(.unknownField, path, "", at: reader.position)
        }
        try reader.skip(in: text)
    }

    /// Puts the fields of a message into the order of their numbers; of a field that stands twice the last counts.
    private mutating func arrange(from first: Int, _ start: Int) {
        let ordered = entries[first...].sorted {
            ($0.field.number, $0.bytes.lowerBound) < ($1.field.number, $1.bytes.lowerBound)
        }
        var kept: [Entry] = []
        for entry in ordered {
            if kept.last?.field.number == entry.field.number, !entry.field.isRepeated { kept.removeLast() }
            kept.append(entry)
        }
        let arranged = kept.flatMap { bytes[$0.bytes] }
        bytes.replaceSubrange(start..., with: arranged)
    }
}

// Values.
extension MessageJSON {
    /// Reads the value of a field. Returns whether it is `null`, which says nothing.
    @inline(__always)
    private mutating func readField(_ field: WireField, in text: Span<UInt8>) throws(JSONSyntaxError) -> Bool {
        let opening = reader.next(in: text)
        if opening == UInt8(ascii: "n") {
            try reader.word("null", in: text)
            return true
        }
        guard field.isRepeated else {
            try readValue(field, opening, in: text)
            return false
        }
        guard reader.take("[", in: text) else {
            try skip(expecting: .list, in: text)
            return false
        }
        if reader.take("]", in: text) { return false }
        var element = 0
        repeat {
            step.element = element
            element += 1
            try readValue(field, reader.next(in: text), in: text)
        } while reader.take(",", in: text)
        try reader.expect("]", in: text, or: "a comma or the end of a list is missing")
        return false
    }

    private mutating func readValue(
        _ field: WireField, _ opening: UInt8, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let start = reader.position
        switch (field.kind, opening) {
        case (.text, UInt8(ascii: "\"")):
            switch try reader.string(in: text) {
            case .plain(let range):
                guard !range.isEmpty || field.saysDefault else { return }
                bytes.appendVarint(field.tag)
                bytes.appendVarint(UInt64(range.count))
                text.extracting(range).withUnsafeBytes { bytes.append(contentsOf: $0) }
            case .unescaped: append(reader.unescaped, of: field)
            case .unpaired: note(.type, start, .text, in: text)
            }
        case (.message, UInt8(ascii: "{")):
            bytes.appendVarint(field.tag)
            let length = bytes.count
            bytes.append(0)
            path.append(step)
            try readMessage(Int(field.type), in: text)
            step = path.removeLast()
            bytes.setLength(at: length)
        case (.signed, _), (.unsigned, _), (.long, _):
            guard let number = try readNumber(opening, in: text) else { return }
            let value: UInt64? =
                switch field.kind {
                case .signed: number.signed.map { UInt64(bitPattern: Int64($0)) }
                case .unsigned: number.unsigned.map { UInt64($0) }
                default: number.long
                }
            guard let value else { return note(.range, start, .init(field), in: text) }
            append(value, of: field)
        case (.flag, UInt8(ascii: "t")):
            try reader.word("true", in: text)
            append(1, of: field)
        case (.flag, UInt8(ascii: "f")):
            try reader.word("false", in: text)
            append(0, of: field)
        case (.choice, UInt8(ascii: "\"")):
            let name = try reader.string(in: text)
            guard let number = number(named: name, in: field.choices, text) else {
                if unknownChoices == .skipped { return }
                return note(.choice, start, .init(field), in: text)
            }
            append(UInt64(bitPattern: Int64(number)), of: field)
        case (.choice, UInt8(ascii: "-")), (.choice, UInt8(ascii: "0")...UInt8(ascii: "9")):
            // By its number, which need not be one that this version knows.
            guard let number = try reader.number(in: text).signed else {
                return note(.choice, start, .init(field), in: text)
            }
            append(UInt64(bitPattern: Int64(number)), of: field)
        case (.bytes, UInt8(ascii: "\"")):
            var coded: [UInt8] = []
            let isCoded: Bool
            switch try reader.string(in: text) {
            case .plain(let range): isCoded = coded.decodeBase64(text.extracting(range))
            case .unescaped: isCoded = coded.decodeBase64(reader.unescaped.span)
            case .unpaired: isCoded = false
            }
            guard isCoded else { return note(.type, start, .bytes, in: text) }
            append(coded, of: field)
        default: try skip(expecting: .init(field), in: text)
        }
    }

    /// Reads a number, in quotes or not. Returns `nil` for a value of another type, which is noted.
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
            try skip(expecting: .init(WireSchema.messages[step.message].fields[step.place]), in: text)
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

    private mutating func append(_ value: UInt64, of field: WireField) {
        guard value != 0 || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(value)
    }

    private mutating func append(_ value: [UInt8], of field: WireField) {
        guard !value.isEmpty || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }
}

// Mistakes.
extension MessageJSON {
    /// The path of the field that is read.
    private var pathText: String {
        (path + [step]).map(\.text).joined(separator: ".")
    }

    /// Passes over a value of another type than its field's.
    private mutating func skip(
        expecting expected: JSONFault.Expectation?, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let start = reader.position
        try reader.skip(in: text)
        note(.type, start, expected, in: text)
    }

    /// Notes that the value from a place to here isn't what its field takes.
    @inline(never)
    private mutating func note(
        _ kind: JSONFault.Kind, _ start: Int, _ expected: JSONFault.Expectation?, in text: Span<UInt8>
    ) {
        guard fault == nil else { return }
        fault = JSONFault(kind, pathText, JSONFault.told(start..<reader.position, of: text), expected, at: start)
    }

    /// Notes that a message has two fields of which it may have one.
    @inline(never)
    private mutating func noteConflict(_ field: WireField, in message: Int) {
        guard fault == nil else { return }
        let message = WireSchema.messages[message]
        let others = message.fields.indices.filter { message.fields[$0].oneof == field.oneof }
        let names = others.map { "`\(message.names[$0])`" }.joined(separator: ", ")
        fault = JSONFault(.conflict, pathText, "another of \(names)", at: reader.position)
    }
}
