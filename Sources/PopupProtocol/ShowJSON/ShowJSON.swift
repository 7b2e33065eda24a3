/// The commonest JSON frame, one `show`, written anew in binary without a message in between.
///
/// It knows the names and values that nearly all popups have, and says no to everything else, which is for the full
/// decoder. Its binary is, byte by byte, what swift-protobuf makes of the same command, so that a repetition is known by
/// its digest whichever way it comes; it is then read as a `ShowFrame`, which looks at what the values may be.
public struct ShowJSON: Sendable {
    /// The `Command` in binary that was read last.
    public private(set) var command: [UInt8] = []
    private var popup: [UInt8] = []

    /// Nothing yet, to read into.
    public init() {}

    /// Reads the `show` in a frame, in the place of what was read before.
    ///
    /// - Returns: Whether it is one that is known; otherwise nothing of this is to be used.
    public mutating func read(_ frame: Span<UInt8>) -> Bool {
        popup.removeAll(keepingCapacity: true)
        var reader = JSONReader()
        var isFirst = true
        var hasShow = false
        var producer: Range<Int>?
        var sequence: Int64?
        while true {
            switch reader.member(in: frame, isFirst: &isFirst) {
            case .name(let name) where frame.equals("show", name):
                guard !hasShow, Self.read(PopupField.ofPopup, &reader, frame, into: &popup) else { return false }
                hasShow = true
            case .name(let name) where frame.equals("producer", name):
                guard producer == nil, case .plain(let text)? = reader.string(in: frame) else { return false }
                producer = text
            case .name(let name) where frame.equals("sequence", name):
                guard sequence == nil, let value = reader.longInteger(in: frame), value >= 0 else { return false }
                sequence = value
            case .end:
                guard hasShow, reader.isAtEnd(of: frame) else { return false }
                command.removeAll(keepingCapacity: true)
                if let producer { command.appendField(1, .plain(producer), in: frame) }
                if let sequence, sequence > 0 { command.appendNumber(2, UInt64(sequence)) }
                command.appendMessage(3, popup)
                return true
            case .name, .other: return false
            }
        }
    }

    /// Reads an object into the fields of a message, in the order of their numbers. A name that stands twice is for the full
    /// decoder.
    private static func read(
        _ fields: [PopupField], _ reader: inout JSONReader, _ frame: Span<UInt8>, into message: inout [UInt8]
    ) -> Bool {
        var isFirst = true
        var seen: UInt64 = 0
        var written: [(number: UInt64, bytes: Range<Int>)] = []
        while true {
            switch reader.member(in: frame, isFirst: &isFirst) {
            case .name(let name):
                let field = fields.first { frame.equals($0.name, name) || frame.equals($0.schemaName, name) }
                let start = message.count
                guard let field, seen & 1 << field.number == 0, read(field, &reader, frame, into: &message) else {
                    return false
                }
                seen |= 1 << field.number
                written.append((field.number, start..<message.count))
            case .end:
                message.bringIntoOrder(written)
                return true
            case .other: return false
            }
        }
    }

    private static func read(
        _ field: PopupField, _ reader: inout JSONReader, _ frame: Span<UInt8>, into message: inout [UInt8]
    ) -> Bool {
        switch field.kind {
        case .text:
            guard let text = reader.string(in: frame) else { return false }
            message.appendField(field.number, text, in: frame, evenEmpty: field.hasPresence)
        case .signed:
            guard let value = reader.integer(in: frame), let narrow = Int32(exactly: value) else { return false }
            if narrow != 0 { message.appendNumber(field.number, UInt64(bitPattern: Int64(narrow))) }
        case .unsigned:
            guard let value = reader.integer(in: frame), let narrow = UInt32(exactly: value) else { return false }
            if narrow != 0 { message.appendNumber(field.number, UInt64(narrow)) }
        case .flag:
            guard let value = reader.flag(in: frame) else { return false }
            if value || field.hasPresence { message.appendNumber(field.number, value ? 1 : 0) }
        case .choice(let names):
            guard case .plain(let text)? = reader.string(in: frame),
                let value = names.firstIndex(where: { frame.equals($0, text) })
            else { return false }
            if value > 0 { message.appendNumber(field.number, UInt64(value)) }
        case .message(let fields):
            var inner: [UInt8] = []
            guard read(fields, &reader, frame, into: &inner) else { return false }
            message.appendMessage(field.number, inner)
        case .messages(let fields):
            guard reader.take("[", in: frame) else { return false }
            if reader.take("]", in: frame) { return true }
            repeat {
                var inner: [UInt8] = []
                guard read(fields, &reader, frame, into: &inner) else { return false }
                message.appendMessage(field.number, inner)
            } while reader.take(",", in: frame)
            return reader.take("]", in: frame)
        }
        return true
    }
}

extension [UInt8] {
    /// Puts the fields at the end into the order of their numbers.
    fileprivate mutating func bringIntoOrder(_ fields: [(number: UInt64, bytes: Range<Int>)]) {
        guard let start = fields.first?.bytes.lowerBound,
            zip(fields, fields.dropFirst()).contains(where: { $0.number > $1.number })
        else { return }
        let ordered = fields.sorted { $0.number < $1.number }.flatMap { self[$0.bytes] }
        replaceSubrange(start..., with: ordered)
    }

    fileprivate mutating func appendNumber(_ number: UInt64, _ value: UInt64) {
        appendVarint(number << 3)
        appendVarint(value)
    }

    fileprivate mutating func appendMessage(_ number: UInt64, _ bytes: [UInt8]) {
        appendVarint(number << 3 | 2)
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    fileprivate mutating func appendField(
        _ number: UInt64, _ text: JSONReader.Text, in frame: Span<UInt8>, evenEmpty: Bool = false
    ) {
        switch text {
        case .plain(let range):
            guard !range.isEmpty || evenEmpty else { return }
            appendVarint(number << 3 | 2)
            appendVarint(UInt64(range.count))
            frame.extracting(range).withUnsafeBytes { append(contentsOf: $0) }
        case .unescaped(let bytes):
            guard !bytes.isEmpty || evenEmpty else { return }
            appendMessage(number, bytes)
        }
    }

    private mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
