/// What came of the commands applied since it was last emptied. Its memory is used again and again.
public struct EventBuffer: Sendable {
    /// What happened, in order.
    public internal(set) var events: [Event] = []

    /// The groups whose broadcast state changed, once a step, in the order of their first change in the step.
    public internal(set) var changes: [GroupChange] = []

    /// The bytes that the events' ranges refer to.
    public internal(set) var text: [UInt8] = []

    /// The pages of the events' paths, in `text`.
    public internal(set) var pathValues: [TextRange] = []

    /// An empty buffer.
    public init() {}

    /// Forgets what it holds and keeps its memory.
    public mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        changes.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
        pathValues.removeAll(keepingCapacity: true)
    }

    mutating func append(
        _ kind: Event.Kind, at now: Milliseconds, group: UnsafeRawBufferPointer, popup: UnsafeRawBufferPointer,
        index: GroupIndex?
    ) {
        events.append(
            Event(at: now, group: add(group), groupIndex: index, popup: add(popup), revision: 0, kind: kind))
    }

    /// Gives the event appended last a path.
    mutating func addPath(_ values: [[UInt8]]) {
        let first = pathValues.count
        for value in values { value.withUnsafeBytes { pathValues.append(add($0)) } }
        events[events.count - 1].pathStart = UInt32(first)
        events[events.count - 1].pathCount = UInt32(values.count)
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) -> TextRange {
        let offset = text.count
        text.append(contentsOf: bytes.bindMemory(to: UInt8.self))
        return TextRange(offset: offset, count: bytes.count)
    }

    /// Hands the bytes of a range of one of its events over where they are.
    @inlinable
    public func withText(_ range: TextRange, _ read: (UnsafeRawBufferPointer) -> Void) {
        text.withUnsafeBytes { read(UnsafeRawBufferPointer(rebasing: $0[range.indices])) }
    }

    /// The text of a range of one of its events.
    public func string(_ range: TextRange) -> String {
        String(decoding: text[range.indices], as: UTF8.self)
    }
}

/// One step's change of a group's broadcast state.
public struct GroupChange: Sendable {
    /// The group.
    public var group: GroupIndex
    /// Its revision now.
    public var revision: UInt64
    /// Why: the index of the step's first event in the group. `nil` when a policy changed the active popup's time.
    public var cause: Int?
}

/// A group's place in the scheduler's table: good until the group is forgotten, which happens only when it holds
/// nothing and the table is full.
public struct GroupIndex: Sendable, Hashable {
    /// The place, from 0 on: fit for tables beside the scheduler's.
    public var rawValue: Int32

    /// The group at this place.
    @inlinable
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }
}
