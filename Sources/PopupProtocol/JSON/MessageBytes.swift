/// Messages in binary, whose fields come in any order.
struct MessageBytes {
    /// What was written of a field.
    private struct Entry {
        var field: WireField
        /// Where its bytes are; none: it only takes the place of what came before of its field.
        var bytes: Range<Int>
    }

    /// Where a message begins.
    struct Begin {
        fileprivate let entry: Int
        fileprivate let byte: Int
    }

    private(set) var bytes: [UInt8] = []
    /// Those of the messages that have not ended.
    private var entries: [Entry] = []

    var count: Int { bytes.count }
    var place: Begin { Begin(entry: entries.count, byte: bytes.count) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Forgets messages that have not ended.
    mutating func forget() { entries.removeAll(keepingCapacity: true) }

    /// Notes that a field's bytes were written from a place on.
    @inline(__always)
    mutating func enter(_ field: WireField, from start: Int) {
        entries.append(Entry(field: field, bytes: start..<bytes.count))
    }

    /// Ends a message, all of whose fields were entered.
    ///
    /// - Parameter isOrdered: whether each is there once, in the order of their numbers.
    @inline(__always)
    mutating func end(_ begin: Begin, isOrdered: Bool) {
        if !isOrdered { arrange(from: begin) }
        entries.removeSubrange(begin.entry...)
    }

    /// Puts the fields of a message into the order of their numbers; of a field that stands twice the last counts.
    private mutating func arrange(from begin: Begin) {
        let ordered = entries[begin.entry...].sorted {
            ($0.field.number, $0.bytes.lowerBound) < ($1.field.number, $1.bytes.lowerBound)
        }
        var kept: [Entry] = []
        for entry in ordered {
            if kept.last?.field.number == entry.field.number, !entry.field.isRepeated { kept.removeLast() }
            kept.append(entry)
        }
        let arranged = kept.flatMap { bytes[$0.bytes] }
        bytes.replaceSubrange(begin.byte..., with: arranged)
    }

    // MARK: - Values

    /// Appends a number, unless it says nothing.
    mutating func append(_ value: UInt64, of field: WireField) {
        guard value != 0 || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(value)
    }

    /// Appends text or bytes, unless they say nothing.
    mutating func append(_ value: [UInt8], of field: WireField) {
        guard !value.isEmpty || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends a part of a text, unless it says nothing.
    @inline(__always)
    mutating func append(_ range: Range<Int>, of text: Span<UInt8>, _ field: WireField) {
        guard !range.isEmpty || field.saysDefault else { return }
        bytes.appendVarint(field.tag)
        bytes.appendVarint(UInt64(range.count))
        text.extracting(range).withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Begins a field that holds a message, and returns where its length is to stand.
    mutating func beginLength(of field: WireField) -> Int {
        bytes.appendVarint(field.tag)
        bytes.append(0)
        return bytes.count - 1
    }

    /// Ends the field whose length stands there.
    mutating func endLength(at place: Int) { bytes.setLength(at: place) }
}
