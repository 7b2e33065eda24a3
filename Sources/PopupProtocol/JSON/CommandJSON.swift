import SwiftProtobuf

/// A frame in JSON, one `Command` or a `Batch`, read in one pass.
///
/// A `show` or a `dismiss` is written anew in binary, as it is kept in the journal, and as a producer could as well have
/// sent it; every other command is read as a message. A frame that is no JSON is refused whole. Of commands that are wrong
/// otherwise each is refused on its own, up to `Ingress.toldMistakes` that ask for no acknowledgement; what follows these
/// is passed over.
public struct CommandJSON: Sendable {
    /// A command of the frame.
    public struct Part: Sendable {
        /// What it is.
        public var content: Content
        /// Where it begins and ends in the frame.
        public var text: Range<Int>
    }

    /// What a command of the frame is.
    public enum Content: Sendable {
        /// A `show` or a `dismiss`, in these bytes of `binary`.
        case binary(Range<Int>)
        /// Any other.
        case command(WireCommand)
        /// None: why, and who sent it as far as that could be read.
        case refused(CommandRefusal, CommandSender?)
    }

    /// The commands of the frame that was read last, in order.
    public private(set) var parts: [Part] = []
    /// How many commands behind the last of `parts` were passed over.
    public private(set) var unread = 0
    /// The bytes of the parts in binary.
    public var binary: [UInt8] { target.binary.bytes }

    private var json = MessageReader()
    private var target = CommandTarget()
    /// Refusals of commands that ask for no acknowledgement.
    private var mistakes = 0
    private var isBatch = false
    /// The first names that are no command of this version, and whom what stands there is about.
    private var unknownNames: [String] = []
    private var subject = JSONSubject()

    /// Names that a refusal tells at most.
    private static let toldNames = 4

    /// Nothing yet, to read into.
    public init() {}

    /// Reads a frame, in the place of what was read before.
    ///
    /// - Throws: `MALFORMED` when it is no JSON: nothing of it is trusted.
    public mutating func read(_ frame: Span<UInt8>) throws(CommandRefusal) {
        json.begin()
        target.removeAll()
        removeParts()
        isBatch = false
        do throws(JSONSyntaxError) {
            try readFrame(frame)
        } catch {
            removeParts()
            throw CommandRefusal(
                .malformed,
                "the \(isBatch ? "batch" : "frame") is not valid JSON at byte \(error.position): \(error.what)")
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

    /// Reads a command, or a batch if a name tells that it is one.
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
            } else {
                try readUnknown(name, in: frame)
            }
        }
        guard !isBatch || !mayBeBatch else { return }
        if let fault = json.fault {
            refuse(CommandRefusal(fault.reason, fault.description), from: position)
        } else if command.oneofs == 0 {
            refuse(unsupported, from: position)
        } else {
            parts.append(Part(content: target.end(), text: position..<json.reader.position))
        }
    }

    /// Reads a list of commands; one that stands again in the frame goes on where the last ended.
    private mutating func readBatch(in frame: Span<UInt8>) throws(JSONSyntaxError) {
        try json.reader.expect("[", in: frame, or: "`commands` must be a list, {\"commands\":[{…},{…}]}")
        if json.reader.take("]", in: frame) { return }
        repeat {
            let opening = json.reader.next(in: frame)
            if mistakes >= Ingress.toldMistakes {
                unread += 1
                try json.reader.skip(in: frame)
            } else if opening == UInt8(ascii: "{") {
                try readCommand(in: frame)
            } else {
                let position = json.reader.position
                target.begin()
                try json.reader.skip(in: frame)
                let value = JSONFault.told(position..<json.reader.position, of: frame)
                refuse(
                    CommandRefusal(.malformed, "a command of the batch is \(value); it must be an object"),
                    from: position)
            }
        } while json.reader.take(",", in: frame)
        try json.reader.expect("]", in: frame, or: "a comma or the end of the batch is missing")
    }

    /// Passes over a member that is no part of a command of this version, and notes whom it is about.
    private mutating func readUnknown(_ name: JSONReader.Text, in frame: Span<UInt8>) throws(JSONSyntaxError) {
        if unknownNames.count < Self.toldNames { unknownNames.append(json.reader.told(name, in: frame)) }
        if subject.isEmpty, json.reader.next(in: frame) == UInt8(ascii: "{") {
            try subject.read(&json.reader, in: frame)
        } else {
            try json.reader.skip(in: frame)
        }
    }

    private var unsupported: CommandRefusal {
        var refusal = Ingress.unsupported(
            unknownNames.isEmpty
                ? "an object without a command is not a command of"
                : "none of \(unknownNames.map { "`\($0)`" }.joined(separator: ", ")) is a command of")
        refusal.group = GroupName(subject.group)
        refusal.popup = subject.popup
        return refusal
    }

    /// Enters a refusal, with its group and popup as far as they were read.
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

/// A command as a target: its `show` or `dismiss` goes into bytes, another command into a message, its sender into both.
private struct CommandTarget: FieldTarget {
    private(set) var binary = MessageBytes()
    private var start = 0
    /// The command, unless it is a `show` or a `dismiss`.
    private var message: WireCommand?

    mutating func removeAll() { binary.removeAll() }

    /// Begins a command.
    mutating func begin() {
        start = binary.count
        binary.begin()
        message = nil
    }

    /// The command that was read, of which nothing is wrong.
    mutating func end() -> CommandJSON.Content {
        binary.end()
        guard var command = message else { return .binary(start..<binary.count) }
        setSender(of: &command)
        binary.truncate(to: start)
        return .command(command)
    }

    /// What could be read of a command that is refused.
    mutating func endRefused() -> (WireCommand?, CommandSender?) {
        binary.end()
        let bytes = Array(binary.bytes[start...])
        binary.truncate(to: start)
        return (message ?? (try? WireCommand(serializedBytes: bytes)), CommandSender(binary: bytes.span))
    }

    /// Beside a message the bytes hold nothing but producer and sequence.
    private func setSender(of command: inout WireCommand) {
        var reader = FieldReader(start..<binary.count)
        let bytes = binary.bytes.span
        while let tag = reader.tag(in: bytes) {
            if tag == WireKeys.Command.sequence.tag {
                command.sequence = reader.varint(in: bytes) ?? 0
            } else if let range = reader.bytes(in: bytes) {
                command.producer = bytes.extracting(range).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    @inline(__always)
    mutating func beginField() -> Int { binary.beginField() }

    @inline(__always)
    mutating func endField(_ field: WireField, from start: Int, replaces: Bool, isNull: Bool) {
        binary.endField(field, from: start, replaces: replaces, isNull: isNull)
    }

    mutating func set(_ field: WireField, _ value: UInt64) { binary.set(field, value) }

    mutating func set(_ field: WireField, _ range: Range<Int>, of text: Span<UInt8>) {
        binary.set(field, range, of: text)
    }

    mutating func set(_ field: WireField, bytes: [UInt8]) { binary.set(field, bytes: bytes) }

    mutating func read(
        _ field: WireField, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch UInt64(field.number) {
        case WireKeys.Command.show.number, WireKeys.Command.dismiss.number:
            try binary.read(field, by: &reader, in: text)
        default:
            var command = WireCommand()
            try command.read(field.number, by: &reader, in: text)
            message = command
        }
    }
}

/// The group and the popup that a command of another version names.
private struct JSONSubject {
    var group = ""
    var popup = ""

    var isEmpty: Bool { group.isEmpty && popup.isEmpty }

    /// Reads the object that begins next, and keeps its `group` and `id`.
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
