/// A reader of a frame in JSON, one `Command` or a `Batch`, in one pass.
///
/// A `show` or a `dismiss` is converted to the binary encoding, in which the journal keeps it, exactly as a producer
/// could have sent it. Other commands are read as messages. A frame that is not JSON is refused as a whole. Of commands
/// with other mistakes, each is refused separately, up to `Ingress.reportedMistakes` that ask for no acknowledgement; those
/// after them are skipped.
///
/// Unknown fields are skipped, unless the outermost object has `"strict": true`: then they are mistakes.
public struct CommandJSON: Sendable {
    /// A command of the frame.
    public struct Part: Sendable {
        /// The content of the command.
        public var content: Content
        /// The range of the command in the frame.
        public var text: Range<Int>
    }

    /// The content of a command.
    public enum Content: Sendable {
        /// A `show` or a `dismiss`: its range in `binary`.
        case binary(Range<Int>)
        /// Any other command.
        case command(WireCommand)
        /// A refused command: the reason, and its sender if that could be read.
        case refused(CommandRefusal, CommandSender?)
    }

    /// The commands of the last frame, in order.
    public private(set) var parts: [Part] = []
    /// The number of commands after `parts` that were skipped.
    public private(set) var unread = 0
    /// The binary encoding of the parts.
    public var binary: [UInt8] { target.binary.bytes }

    private var json = MessageReader()
    private var target = CommandTarget()
    /// The number of refused commands that ask for no acknowledgement.
    private var mistakes = 0
    private var isBatch = false
    /// Whether the frame has `"strict": true`.
    private var isStrict = false
    /// Whether the outermost object has names that a batch does not have.
    private var hasNamesBesideBatch = false
    /// The mistake in the value of `strict`.
    private var strictFault: JSONFault?
    /// The first names that are not commands of this version, and the subject of the command.
    private var unknownNames: [String] = []
    private var subject = JSONSubject()

    /// The maximum number of names in a refusal.
    private static let maxUnknownNames = 4

    /// The first field of the last frame that the schema does not have, if such fields are looked for.
    private(set) var unknownField: JSONFault?
    /// The names that a command may have besides its fields; `nil`: unknown fields are not looked for.
    private let otherNames: [String]?

    /// Creates an empty reader.
    public init() {
        otherNames = nil
    }

    /// Creates a reader that looks for unknown fields.
    ///
    /// - Parameter otherNames: The names that a command may have besides its fields.
    init(lookingForUnknownFieldsBesides otherNames: [String]) {
        self.otherNames = otherNames
        json.unknownFields = .refused
    }

    /// Reads a frame. Replaces the parts of the last one.
    ///
    /// - Throws: `MALFORMED` if the frame is not JSON. Then no part of it is valid.
    public mutating func read(_ frame: Span<UInt8>) throws(CommandRefusal) {
        try readOnce(frame)
        let hasUnknown = json.hasSkipped || isBatch && hasNamesBesideBatch
        guard isStrict, hasUnknown, json.unknownFields == .skipped else { return }
        // `strict` may stand at the end. Only a frame with a mistake is read twice.
        json.unknownFields = .refused
        defer { json.unknownFields = .skipped }
        try readOnce(frame)
        guard isBatch, hasNamesBesideBatch else { return }
        removeParts()
        throw CommandRefusal(
            .malformed,
            "the batch has a field other than `commands` and `strict`; move it into the commands, or leave it out")
    }

    private mutating func readOnce(_ frame: Span<UInt8>) throws(CommandRefusal) {
        json.begin()
        target.removeAll()
        removeParts()
        isBatch = false
        isStrict = false
        hasNamesBesideBatch = false
        strictFault = nil
        do throws(JSONSyntaxError) {
            try readFrame(frame)
        } catch {
            removeParts()
            throw CommandRefusal(
                .malformed,
                "the \(isBatch ? "batch" : "frame") is not valid JSON at byte \(error.position): \(error.what)")
        }
        if isBatch, let strictFault {
            removeParts()
            throw CommandRefusal(strictFault.reason, strictFault.description)
        }
    }
}

// The parts of a frame.
extension CommandJSON {
    private mutating func removeParts() {
        parts.removeAll(keepingCapacity: true)
        unread = 0
        mistakes = 0
    }

    private mutating func readFrame(_ frame: Span<UInt8>) throws(JSONSyntaxError) {
        _ = json.reader.next(in: frame)
        try readCommand(in: frame, mayBeBatch: true)
        try json.reader.end(of: frame)
    }

    /// Reads a command, or a batch if it has the name of a batch's field.
    private mutating func readCommand(in frame: Span<UInt8>, mayBeBatch: Bool = false) throws(JSONSyntaxError) {
        let position = json.reader.position
        json.forget()
        target.begin()
        unknownNames.removeAll(keepingCapacity: true)
        subject = JSONSubject()
        var command = try json.open(WireSchema.command, in: frame)
        while let name = try json.readFields(&command, into: &target, in: frame) {
            if mayBeBatch, json.reader.isText(name, "commands", in: frame) {
                isBatch = true
                try readBatch(in: frame)
            } else if mayBeBatch, json.reader.isText(name, "strict", in: frame) {
                try readStrict(in: frame)
            } else {
                if mayBeBatch { hasNamesBesideBatch = true }
                try readUnknown(name, in: frame)
            }
        }
        if mayBeBatch, command.seen != 0 { hasNamesBesideBatch = true }
        guard !isBatch || !mayBeBatch else { return }
        if unknownField == nil, json.fault?.kind == .unknownField, command.oneofs != 0 { unknownField = json.fault }
        let fault = json.fault ?? (mayBeBatch ? strictFault : nil)
        // An object without a command is that of another version, or a misspelt one.
        if let fault, fault.kind != .unknownField || command.oneofs != 0 {
            refuse(CommandRefusal(fault.reason, fault.description), from: position)
        } else if command.oneofs == 0 {
            refuse(unsupported, from: position)
        } else {
            parts.append(Part(content: target.end(), text: position..<json.reader.position))
        }
    }

    /// Reads a list of commands. If the frame contains several, their commands are joined.
    private mutating func readBatch(in frame: Span<UInt8>) throws(JSONSyntaxError) {
        try json.reader.expect("[", in: frame, or: "`commands` must be a list, {\"commands\":[{…},{…}]}")
        if json.reader.take("]", in: frame) { return }
        repeat {
            let opening = json.reader.next(in: frame)
            if mistakes >= Ingress.reportedMistakes {
                unread += 1
                try json.reader.skip(in: frame)
            } else if opening == UInt8(ascii: "{") {
                try readCommand(in: frame)
            } else {
                let position = json.reader.position
                target.begin()
                try json.reader.skip(in: frame)
                let value = JSONFault.excerpt(position..<json.reader.position, of: frame)
                refuse(
                    CommandRefusal(.malformed, "a command of the batch is \(value); it must be an object"),
                    from: position)
            }
        } while json.reader.take(",", in: frame)
        try json.reader.expect("]", in: frame, or: "a comma or the end of the batch is missing")
    }

    /// Reads the value of `strict`.
    private mutating func readStrict(in frame: Span<UInt8>) throws(JSONSyntaxError) {
        switch json.reader.next(in: frame) {
        case UInt8(ascii: "t"):
            try json.reader.word("true", in: frame)
            isStrict = true
        case UInt8(ascii: "f"):
            try json.reader.word("false", in: frame)
            isStrict = false
        case UInt8(ascii: "n"): try json.reader.word("null", in: frame)
        default:
            let start = json.reader.position
            try json.reader.skip(in: frame)
            strictFault = JSONFault(
                .type, "strict", JSONFault.excerpt(start..<json.reader.position, of: frame), .flag, at: start)
        }
    }

    /// Skips a member that is not in this version, and keeps its group and popup for the refusal.
    private mutating func readUnknown(_ name: JSONReader.Text, in frame: Span<UInt8>) throws(JSONSyntaxError) {
        let spelling = json.reader.excerpt(name, in: frame)
        if unknownNames.count < Self.maxUnknownNames { unknownNames.append(spelling) }
        if otherNames?.contains(spelling) != true { json.recordUnknown(name, of: WireSchema.command, in: frame) }
        if subject.isEmpty, json.reader.next(in: frame) == UInt8(ascii: "{") {
            try subject.read(&json.reader, in: frame)
        } else {
            try json.reader.skip(in: frame)
        }
    }

    private var unsupported: CommandRefusal {
        let names = unknownNames.map { "`\($0)`" }
        let meant = unknownNames.lazy.compactMap(WireSchema.messages[WireSchema.command].oneofSuggestion).first
        var refusal = Ingress.unsupported(
            names.isEmpty
                ? "an object without a command is not a command of"
                : names.count == 1
                    ? "\(names[0]) is not a command of" : "none of \(names.joined(separator: ", ")) is a command of",
            meant.map { "did you mean `\($0)`?" })
        refusal.group = GroupName(subject.group)
        refusal.popup = subject.popup
        return refusal
    }

    /// Appends a refusal, with its group and popup if they were read.
    private mutating func refuse(_ refusal: CommandRefusal, from position: Int) {
        var refusal = refusal
        let (command, sender) = target.endRefused()
        if let subject = command?.subject {
            if refusal.group == nil { refusal.group = GroupName(subject.group) }
            if refusal.popup.isEmpty { refusal.popup = subject.popup }
        }
        if sender == nil { mistakes += 1 }
        parts.append(Part(content: .refused(refusal, sender), text: position..<json.reader.position))
    }
}

/// The group and the popup of a command of another version.
private struct JSONSubject {
    var group = ""
    var popup = ""

    var isEmpty: Bool { group.isEmpty && popup.isEmpty }

    /// Reads the next object, and keeps its `group` and `id`.
    mutating func read(_ reader: inout JSONReader, in text: Span<UInt8>) throws(JSONSyntaxError) {
        try reader.expect("{", in: text, or: "an object must begin there")
        if reader.take("}", in: text) { return }
        repeat {
            let name = try reader.string(in: text)
            let isGroup = reader.isText(name, "group", in: text)
            let isPopup = reader.isText(name, "id", in: text)
            try reader.expect(":", in: text, or: "a colon is missing")
            guard isGroup || isPopup, reader.next(in: text) == UInt8(ascii: "\"") else {
                try reader.skip(in: text, level: 1)
                continue
            }
            let value = reader.line(try reader.string(in: text), in: text)
            if isGroup { group = value } else { popup = value }
        } while reader.take(",", in: text)
        try reader.expect("}", in: text, or: "a comma or the end of an object is missing")
    }
}
