/// The description of the schema's messages for the encodings. `Generated/WireTables.swift` contains the tables.
enum WireSchema {
    /// Returns the index of the message with this name, without its package; `nil` if it does not exist.
    static func message(named name: String) -> Int? {
        messages.firstIndex { $0.name == name }
    }

    /// The index of `Command` in the tables.
    static let command = message(named: "Command") ?? 0
    /// The index of `Popup` in the tables.
    static let popup = message(named: "Popup") ?? 0
}

/// A message of the schema.
struct WireMessage: Sendable {
    let name: String
    /// The fields, in the order of their numbers.
    let fields: [WireField]
    /// The names of the fields in JSON, and in the schema. JSON may contain either.
    let names: [StaticString]
    let schemaNames: [StaticString]
    /// The keys of `names` and, after each, of `schemaNames`.
    private let keys: [UInt64]

    /// A field with its names.
    struct Row {
        let field: WireField
        let name: StaticString
        let schemaName: StaticString

        init(
            _ number: UInt8, _ name: StaticString, _ kind: WireField.Kind, schemaName: StaticString? = nil,
            of type: UInt8 = 0, isRepeated: Bool = false, hasPresence: Bool = false, oneof: UInt8 = 0
        ) {
            field = WireField(
                number: number, kind: kind, type: type, isRepeated: isRepeated, hasPresence: hasPresence, oneof: oneof)
            self.name = name
            self.schemaName = schemaName ?? name
        }
    }

    init(_ name: String, _ rows: [Row]) {
        self.name = name
        fields = rows.map(\.field)
        names = rows.map(\.name)
        schemaNames = rows.map(\.schemaName)
        keys = rows.flatMap { [NameKey.of($0.name), NameKey.of($0.schemaName)] }
    }

    /// Returns the index of the field with this tag; `nil` if it does not exist.
    @inline(__always)
    func index(ofTag tag: UInt64) -> Int? {
        fields.firstIndex { $0.tag == tag }
    }

    /// Returns the index of the field with this name, in either spelling; `nil` if it does not exist. Members mostly
    /// have the order of the fields, so the search begins at `hint`.
    @inline(__always)
    func index(of name: Range<Int>, in text: Span<UInt8>, from hint: Int) -> Int? {
        let key = NameKey.of(name, in: text)
        var index = hint
        for _ in fields.indices {
            if index >= fields.count { index = 0 }
            if keys[2 &* index] == key, name.count <= NameKey.bytes || text.equals(names[index], name) { return index }
            if keys[2 &* index &+ 1] == key, name.count <= NameKey.bytes || text.equals(schemaNames[index], name) {
                return index
            }
            index &+= 1
        }
        return nil
    }
}

extension WireMessage {
    /// Returns the field that a misspelt name may mean: of the message, or of a message in one of its fields
    /// (`presentation.title`); `nil` if none has a similar name.
    func suggestion(for name: String) -> String? {
        guard name.utf8.count <= Self.longestName else { return nil }
        let inner = zip(fields, names).filter { $0.0.kind == .message && !$0.0.isRepeated }.flatMap { field, outer in
            WireSchema.messages[Int(field.type)].names.map { (path: "\(outer).\($0)", name: "\($0)") }
        }
        if let index = inner.first(where: { $0.name == name }) { return index.path }
        if let near = Suggestion.nearest(to: name, among: names.map { "\($0)" }) { return near }
        let near = Suggestion.nearest(to: name, among: inner.map(\.name))
        return inner.first { $0.name == near }?.path
    }

    /// Returns the field of a oneof that a misspelt name may mean.
    func oneofSuggestion(for name: String) -> String? {
        guard name.utf8.count <= Self.longestName else { return nil }
        return Suggestion.nearest(to: name, among: zip(fields, names).filter { $0.0.oneof > 0 }.map { "\($0.1)" })
    }

    /// The maximum size of a name for which a suggestion is made, in bytes.
    private static let longestName = 24
}

/// A field of a message.
struct WireField: Sendable {
    /// The type of its values.
    enum Kind: Sendable {
        case text
        case bytes
        case flag
        /// `int32`.
        case signed
        /// `uint32`.
        case unsigned
        /// `uint64`.
        case long
        /// An enum.
        case choice
        case message
    }

    let number: UInt8
    let kind: Kind
    /// The index of its enum or message.
    let type: UInt8
    let isRepeated: Bool
    /// Whether the values 0, `false` and empty differ from an absent field.
    let hasPresence: Bool
    /// The number of the oneof to which it belongs, from 1 on; 0 if to none.
    let oneof: UInt8

    /// Whether a value that is 0, `false` or empty is written.
    var saysDefault: Bool { hasPresence || isRepeated }

    /// The tag of the field: its number and wire type.
    var tag: UInt64 {
        switch kind {
        case .text, .bytes, .message: UInt64(number) << 3 | 2
        case .flag, .signed, .unsigned, .long, .choice: UInt64(number) << 3
        }
    }

    /// The enum of the field; only valid for the kind `choice`.
    var choices: WireEnum { WireSchema.enums[Int(type)] }
}

/// An enum of the schema.
struct WireEnum: Sendable {
    let name: String
    let names: [StaticString]
    let numbers: [Int32]

    init(_ name: String, _ values: [(name: StaticString, number: Int32)]) {
        self.name = name
        names = values.map(\.name)
        numbers = values.map(\.number)
    }

    /// Returns the number of the value with this name.
    func number(of name: Range<Int>, in text: Span<UInt8>) -> Int32? {
        names.firstIndex { text.equals($0, name) }.map { numbers[$0] }
    }

    /// Returns the name of the value with this number, as in the binary encoding.
    func name(of number: UInt64) -> StaticString? {
        numbers.firstIndex { UInt64(bitPattern: Int64($0)) == number }.map { names[$0] }
    }
}

/// A key of a name, made of its length and its first bytes: one comparison distinguishes nearly all names.
private enum NameKey {
    /// The number of a name's bytes that are in its key.
    static var bytes: Int { 7 }

    static func of(_ name: StaticString) -> UInt64 {
        let bytes = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return of(0..<bytes.count, in: Span(_unsafeElements: bytes))
    }

    /// Returns the first bytes, the first one lowest, with the length above them.
    @inline(__always)
    static func of(_ name: Range<Int>, in text: Span<UInt8>) -> UInt64 {
        let word = text.word(at: name.lowerBound, before: name.upperBound) & 0x00FF_FFFF_FFFF_FFFF
        return word | UInt64(truncatingIfNeeded: min(name.count, 255)) &<< 56
    }
}

extension Span<UInt8> {
    /// Whether a range of the bytes is equal to a text.
    func equals(_ text: StaticString, _ range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for index in range where self[index] != text.utf8Start[index - range.lowerBound] { return false }
        return true
    }
}
