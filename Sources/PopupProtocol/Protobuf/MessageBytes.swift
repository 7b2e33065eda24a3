/// A builder of binary messages, whose fields may be set in any order.
///
/// The result is byte for byte what swift-protobuf writes: each field once, in the order of their numbers. So a
/// repeated command has the same digest in either encoding.
struct MessageBytes {
    /// A field that was written.
    private struct Entry {
        var field: WireField
        /// The range of its bytes; if empty, it only replaces earlier values of its field.
        var bytes: Range<Int>
    }

    private(set) var bytes: [UInt8] = []
    /// The fields of all open messages.
    private var entries: [Entry] = []
    private var message = Open()

    /// The state of a message that is being written.
    private struct Open {
        var firstEntry = 0
        var firstByte = 0
        /// Whether each field was written once, in the order of their numbers.
        var isOrdered = true
        /// The highest number of a field so far.
        var latest: UInt8 = 0
    }

    var count: Int { bytes.count }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        begin()
    }

    /// Removes the bytes after the first `count`.
    mutating func truncate(to count: Int) { bytes.removeSubrange(count...) }

    /// Begins a message after the bytes so far. Discards open messages.
    mutating func begin() {
        entries.removeAll(keepingCapacity: true)
        message = Open(firstByte: bytes.count)
    }

    /// Ends the message.
    @inline(__always)
    mutating func end() {
        if !message.isOrdered { arrange() }
        entries.removeSubrange(message.firstEntry...)
    }

    /// Sorts the fields of the message by their numbers. Of a field that was set twice, the last value counts.
    private mutating func arrange() {
        let ordered = entries[message.firstEntry...].sorted {
            ($0.field.number, $0.bytes.lowerBound) < ($1.field.number, $1.bytes.lowerBound)
        }
        var kept: [Entry] = []
        for entry in ordered {
            if kept.last?.field.number == entry.field.number, !entry.field.isRepeated { kept.removeLast() }
            kept.append(entry)
        }
        let arranged = kept.flatMap { bytes[$0.bytes] }
        bytes.replaceSubrange(message.firstByte..., with: arranged)
    }
}

extension MessageBytes: FieldTarget {
    @inline(__always)
    mutating func beginField() -> Int { bytes.count }

    @inline(__always)
    mutating func endField(_ field: WireField, from start: Int, replaces: Bool, isNull: Bool) {
        guard bytes.count > start || replaces else { return }
        if replaces || field.number < message.latest { message.isOrdered = false }
        entries.append(Entry(field: field, bytes: start..<bytes.count))
        message.latest = max(message.latest, field.number)
    }

    mutating func set(_ field: WireField, _ value: UInt64) {
        guard value != 0 || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(value)
    }

    mutating func set(_ field: WireField, bytes value: [UInt8]) {
        guard !value.isEmpty || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    @inline(__always)
    mutating func set(_ field: WireField, _ range: Range<Int>, of text: Span<UInt8>) {
        guard !range.isEmpty || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(UInt64(range.count))
        text.extracting(range).withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    mutating func read(
        _ field: WireField, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        let outer = message
        bytes.appendVarint(field.tag)
        bytes.append(0)
        let length = bytes.count - 1
        message = Open(firstEntry: entries.count, firstByte: bytes.count)
        try reader.readMessage(Int(field.type), into: &self, in: text)
        end()
        message = outer
        bytes.setLength(at: length)
    }
}
