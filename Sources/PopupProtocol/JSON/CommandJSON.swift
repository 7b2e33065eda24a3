import SwiftProtobuf

/// A frame in JSON, one `Command` or a `Batch`, written anew in binary: what a producer could as well have sent.
///
/// A frame that is no JSON is refused whole. Of commands that are wrong otherwise each is refused on its own, up to
/// `Ingress.toldMistakes` that ask for no acknowledgement; what follows these is passed over.
public struct CommandJSON: Sendable {
    /// A command of the frame.
    public struct Part: Sendable {
        /// Where the command begins and ends in `binary`. Of a refused one, what of it could be read.
        public var binary: Range<Int>
        /// Where it begins and ends in the frame.
        public var text: Range<Int>
        /// Its place among the `refusals`; `nil`: it is none of them.
        public var refusal: Int?
    }

    /// The commands of the frame that was read last, in order.
    public private(set) var parts: [Part] = []
    /// Why some of them are refused.
    public private(set) var refusals: [CommandRefusal] = []
    /// How many commands behind the last of `parts` were passed over.
    public private(set) var unread = 0
    /// Their bytes.
    public var binary: [UInt8] { json.bytes }

    private var json = MessageJSON()
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
        removeParts()
        isBatch = false
        do throws(JSONSyntaxError) {
            try readFrame(frame)
        } catch {
            removeParts()
            throw CommandRefusal(
                .malformed,
                "the \(isBatch ? "batch" : "frame") is no JSON at byte \(error.position): \(error.what)")
        }
    }
}

// The parts of a frame.
extension CommandJSON {
    private mutating func removeParts() {
        parts.removeAll(keepingCapacity: true)
        refusals.removeAll(keepingCapacity: true)
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
        let (start, position) = (json.bytes.count, json.reader.position)
        json.forget()
        unknownNames.removeAll(keepingCapacity: true)
        subject = JSONSubject()
        var command = try json.open(WireSchema.command, in: frame)
        while let name = try json.readFields(&command, in: frame) {
            if mayBeBatch, json.reader.isText(name, "commands", in: frame) {
                isBatch = true
                try readBatch(in: frame)
            } else {
                try readUnknown(name, in: frame)
            }
        }
        guard !isBatch || !mayBeBatch else { return }
        if let fault = json.fault {
            refuse(CommandRefusal(fault.reason, fault.description), start, position, of: frame)
        } else if command.oneofs == 0 {
            refuse(unsupported, start, position, of: frame)
        } else {
            parts.append(Part(binary: start..<json.bytes.count, text: position..<json.reader.position))
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
                let (start, position) = (json.bytes.count, json.reader.position)
                try json.reader.skip(in: frame)
                let value = JSONFault.told(position..<json.reader.position, of: frame)
                refuse(
                    CommandRefusal(.malformed, "a command of the batch is \(value); it must be an object"),
                    start, position, of: frame)
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
                ? "an object without a command is no command of"
                : "none of \(unknownNames.map { "`\($0)`" }.joined(separator: ", ")) is a command of")
        refusal.group = GroupName(subject.group)
        refusal.popup = subject.popup
        return refusal
    }

    /// Enters a refusal, with its group and popup as far as they were read.
    private mutating func refuse(
        _ refusal: CommandRefusal, _ start: Int, _ position: Int, of frame: Span<UInt8>
    ) {
        var refusal = refusal
        let binary = Array(json.bytes[start...])
        if let command = try? WireCommand(serializedBytes: binary) {
            let subject = command.subject
            if refusal.group == nil { refusal.group = GroupName(subject.group) }
            if refusal.popup.isEmpty { refusal.popup = subject.popup }
        }
        if CommandSender(binary: binary.span) == nil { mistakes += 1 }
        parts.append(
            Part(
                binary: start..<json.bytes.count, text: position..<json.reader.position, refusal: refusals.count))
        refusals.append(refusal)
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
