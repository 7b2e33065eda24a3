/// The results of the commands and timers since the buffer was last emptied. It reuses its memory.
public struct EventBuffer: Sendable {
    /// The events in order.
    public internal(set) var events: [Event] = []

    /// The groups whose broadcast state changed, once per step, in order of their first change in the step.
    public internal(set) var changes: [GroupChange] = []

    /// The number of reports that were dropped because their popup was not active.
    public internal(set) var lateReports = 0

    /// The bytes to which the events' ranges refer.
    public var text: ArraySlice<UInt8> { texts[..<textCount] }

    // Names are short and frequent. They are copied into memory that is already initialized, and only the count grows.
    private var texts: [UInt8] = []
    private var textCount = 0

    /// The pages of the events' paths, in `text`.
    public internal(set) var pathValues: [TextRange] = []

    /// Creates an empty buffer.
    public init() {}

    /// Removes everything and keeps the memory.
    public mutating func removeAll() {
        events.forgetAll()
        changes.forgetAll()
        lateReports = 0
        textCount = 0
        pathValues.forgetAll()
    }

    /// Appends an event. Without a revision, it gets that of its group at the end of the step: see `stamp`.
    @inline(__always)
    mutating func append(
        _ kind: Event.Kind, at now: Milliseconds, group: TextRange, popup: TextRange, index: GroupIndex?,
        revision: UInt64 = 0
    ) {
        events.append(Event(at: now, group: group, groupIndex: index, popup: popup, revision: revision, kind: kind))
    }

    /// Appends the change of a group by the next event.
    @inline(__always)
    mutating func appendChange(of group: GroupIndex, revision: UInt64) {
        changes.append(GroupChange(group: group, revision: revision, cause: events.count))
    }

    /// Returns the range of the group's name in the last event, if that event is of this group and not before `first`.
    @inline(__always)
    func nameInLastEvent(of group: GroupIndex, since first: Int) -> TextRange? {
        guard events.count > first, events[events.count - 1].groupIndex == group else { return nil }
        return events[events.count - 1].group
    }

    /// Sets the path of the last event.
    mutating func addPath(_ values: [[UInt8]]) {
        let first = pathValues.count
        for value in values { value.withUnsafeBytes { pathValues.append(add($0)) } }
        events[events.count - 1].pathStart = UInt32(first)
        events[events.count - 1].pathCount = UInt32(values.count)
    }

    @inline(__always)
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> TextRange {
        let range = reserve(bytes.count)
        if textCount > texts.count { makeRoom() }
        texts.withUnsafeMutableBytes { Self.copy(bytes, to: range, of: $0) }
        return range
    }

    /// Adds two texts. The first must not be empty.
    @inline(__always)
    mutating func add(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> (TextRange, TextRange) {
        let ranges = (reserve(first.count), reserve(second.count))
        if textCount > texts.count { makeRoom() }
        texts.withUnsafeMutableBytes { texts in
            Self.copy(first, to: ranges.0, of: texts)
            Self.copy(second, to: ranges.1, of: texts)
        }
        return ranges
    }

    /// Adds three texts. None of them may be empty.
    @inline(__always)
    mutating func add(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
    ) -> (TextRange, TextRange, TextRange) {
        let ranges = (reserve(first.count), reserve(second.count), reserve(third.count))
        if textCount > texts.count { makeRoom() }
        texts.withUnsafeMutableBytes { texts in
            Self.copy(first, to: ranges.0, of: texts)
            Self.copy(second, to: ranges.1, of: texts)
            Self.copy(third, to: ranges.2, of: texts)
        }
        return ranges
    }

    /// Returns the range of the next text, of this size.
    @inline(__always)
    private mutating func reserve(_ count: Int) -> TextRange {
        defer { textCount &+= count }
        return TextRange(within: textCount, count: count)
    }

    @inline(__always)
    private static func copy(
        _ bytes: UnsafeRawBufferPointer, to range: TextRange, of texts: UnsafeMutableRawBufferPointer
    ) {
        guard let first = bytes.baseAddress else { return }
        // The text has at least one byte, and the memory is large enough: it is not empty.
        (texts.baseAddress.unsafelyUnwrapped + Int(range.offset)).copyName(from: first, byteCount: bytes.count)
    }

    /// Sets the revisions of the events from `first` on, and the cause of each change of the step: the first event of
    /// its group.
    @inline(__always)
    mutating func stamp(
        since first: Int, by groups: borrowing GroupTable, _ changed: borrowing Buffer<Transaction.Changed>
    ) {
        // Events of a preemption in one pass have their revisions already.
        guard first < events.count else { return }
        Self.stamp(&events, since: first, &changes, by: groups, changed)
    }

    private static func stamp(
        _ events: inout [Event], since first: Int, _ changes: inout [GroupChange],
        by groups: borrowing GroupTable, _ changed: borrowing Buffer<Transaction.Changed>
    ) {
        var stamped = events.mutableSpan
        for index in first..<stamped.count {
            guard let group = stamped[index].groupIndex else { continue }
            let record = groups.address(of: GroupRecord.Index(number: group.number))
            stamped[index].revision = record.pointee.revision
            if let mark = record.pointee.changed, let change = changed[mark.number].change,
                changes[change.number].cause == nil
            {
                changes[change.number].cause = index
            }
        }
    }

    @inline(never)
    private mutating func makeRoom() {
        precondition(textCount <= Int(UInt32.max), "the texts of a step fill more than 4 GiB")
        texts.append(contentsOf: repeatElement(0, count: max(1024, textCount * 2) - texts.count))
    }

    /// Calls `read` with the bytes of a range of an event, without copying them.
    public func withText(_ range: TextRange, _ read: (UnsafeRawBufferPointer) -> Void) {
        texts.withUnsafeBytes { read(UnsafeRawBufferPointer(rebasing: $0[range.indices])) }
    }

    /// Returns the text of a range of an event.
    public func string(_ range: TextRange) -> String {
        String(decoding: texts[range.indices], as: UTF8.self)
    }
}

/// A change of a group's broadcast state in one step.
public struct GroupChange: Sendable {
    /// The index of the group.
    public var group: GroupIndex
    /// The revision after the step.
    public var revision: UInt64
    /// The index of the step's first event in the group. `nil` if a policy changed the time of the active popup.
    public var cause: Int?
}

/// The index of a group in the scheduler's table. It is valid until the group is removed, which happens only while the
/// group holds no popup and the table is full.
public struct GroupIndex: Sendable, Hashable {
    @usableFromInline let position: UInt32

    /// Creates the index of a position, which may be unused.
    @inlinable
    package init(number: Int) {
        position = UInt32(clamping: number)
    }

    /// The position, from 0 on, for arrays that are parallel to the scheduler's table.
    @inlinable
    public var number: Int { Int(position) }

    @inline(__always)
    init(_ group: GroupRecord.Index) {
        position = group.bits
    }
}
