/// What came of the commands applied since it was last emptied. Its memory is used again and again.
public struct EventBuffer: Sendable {
    /// What happened, in order.
    public internal(set) var events: [Event] = []

    /// The groups whose broadcast state changed, once a step, in the order of their first change in the step.
    public internal(set) var changes: [GroupChange] = []

    /// The number of reports that were dropped because their popup was not active, or not any more.
    public internal(set) var lateReports = 0

    /// The bytes that the events' ranges refer to.
    public var text: ArraySlice<UInt8> { texts[..<textCount] }

    // Names are short and many: they are copied into memory that is there already, and only their number goes up.
    private var texts: [UInt8] = []
    private var textCount = 0

    /// The pages of the events' paths, in `text`.
    public internal(set) var pathValues: [TextRange] = []

    /// An empty buffer.
    public init() {}

    /// Forgets what it holds and keeps its memory.
    public mutating func removeAll() {
        events.forgetAll()
        changes.forgetAll()
        lateReports = 0
        textCount = 0
        pathValues.forgetAll()
    }

    @inline(__always)
    mutating func append(
        _ kind: Event.Kind, at now: Milliseconds, group: TextRange, popup: TextRange, index: GroupIndex?
    ) {
        events.append(Event(at: now, group: group, groupIndex: index, popup: popup, revision: 0, kind: kind))
    }

    /// Where the name of the group stands, if the last event, and one from `first` on, is of it.
    @inline(__always)
    func nameInLastEvent(of group: GroupIndex, since first: Int) -> TextRange? {
        guard events.count > first, events[events.count - 1].groupIndex == group else { return nil }
        return events[events.count - 1].group
    }

    /// Gives the event appended last a path.
    mutating func addPath(_ values: [[UInt8]]) {
        let first = pathValues.count
        for value in values { value.withUnsafeBytes { pathValues.append(add($0)) } }
        events[events.count - 1].pathStart = UInt32(first)
        events[events.count - 1].pathCount = UInt32(values.count)
    }

    @inline(__always)
    mutating func add(_ bytes: UnsafeRawBufferPointer) -> TextRange {
        let range = TextRange(offset: textCount, count: bytes.count)
        textCount += bytes.count
        if textCount > texts.count { makeRoom() }
        texts.withUnsafeMutableBytes { Self.copy(bytes, to: range, of: $0) }
        return range
    }

    /// Adds two texts, of which the first is not empty.
    @inline(__always)
    mutating func add(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> (TextRange, TextRange) {
        let ranges = (
            TextRange(offset: textCount, count: first.count),
            TextRange(offset: textCount + first.count, count: second.count)
        )
        textCount += first.count + second.count
        if textCount > texts.count { makeRoom() }
        texts.withUnsafeMutableBytes { texts in
            Self.copy(first, to: ranges.0, of: texts)
            Self.copy(second, to: ranges.1, of: texts)
        }
        return ranges
    }

    @inline(__always)
    private static func copy(
        _ bytes: UnsafeRawBufferPointer, to range: TextRange, of texts: UnsafeMutableRawBufferPointer
    ) {
        guard let first = bytes.baseAddress else { return }
        // There is room, so there is a first byte.
        (texts.baseAddress.unsafelyUnwrapped + Int(range.offset)).copyName(from: first, byteCount: bytes.count)
    }

    /// Gives the events from `first` on the revisions of their groups, and each of the step's changes its cause: the
    /// first event of its group.
    @inline(__always)
    mutating func stamp(since first: Int, by groups: borrowing GroupTable) {
        Self.stamp(&events, since: first, &changes, by: groups)
    }

    private static func stamp(
        _ events: inout [Event], since first: Int, _ changes: inout [GroupChange],
        by groups: borrowing GroupTable
    ) {
        var stamped = events.mutableSpan
        for index in first..<stamped.count {
            guard let group = stamped[index].groupIndex else { continue }
            let record = groups.address(of: GroupRecord.Index(number: group.number))
            stamped[index].revision = record.pointee.revision
            if let change = record.pointee.changed?.number, changes[change].cause == nil {
                changes[change].cause = index
            }
        }
    }

    @inline(never)
    private mutating func makeRoom() {
        texts.append(contentsOf: repeatElement(0, count: max(1024, textCount * 2) - texts.count))
    }

    /// Hands the bytes of a range of one of its events over where they are.
    public func withText(_ range: TextRange, _ read: (UnsafeRawBufferPointer) -> Void) {
        texts.withUnsafeBytes { read(UnsafeRawBufferPointer(rebasing: $0[range.indices])) }
    }

    /// The text of a range of one of its events.
    public func string(_ range: TextRange) -> String {
        String(decoding: texts[range.indices], as: UTF8.self)
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

/// The index of a group in the scheduler's table. It is valid until the group is forgotten, which happens only while the
/// group holds no popup and the table is full.
public struct GroupIndex: Sendable, Hashable {
    @usableFromInline let place: UInt32

    /// Creates the index of the group at a position, which may be unused.
    @inlinable
    public init(number: Int) {
        place = UInt32(clamping: number)
    }

    /// The position, from 0 on, for arrays beside the scheduler's table.
    @inlinable
    public var number: Int { Int(place) }

    @inline(__always)
    init(_ group: GroupRecord.Index) {
        place = group.bits
    }
}
