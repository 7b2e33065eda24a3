/// Chooses groups: a group's name, a prefix of whole segments followed by `/*`, or `*` for every group.
///
/// `store-12/*` chooses the groups below `store-12`, at any depth, and not `store-12` itself.
public struct GroupPattern: Hashable, Sendable {
    /// What a pattern chooses.
    public enum Form: Hashable, Sendable {
        /// One group.
        case exact
        /// The groups below a prefix of so many segments.
        case below(segments: Int)
        /// Every group.
        case every
    }

    /// The pattern as it is written.
    public let text: String
    /// What it chooses.
    public let form: Form

    /// `*`: every group.
    public static let every = GroupPattern(text: "*", form: .every)

    private init(text: String, form: Form) {
        self.text = text
        self.form = form
    }

    /// The pattern, or `nil` when `text` is outside the grammar.
    public init?(_ text: String) {
        guard let form = Self.form(of: text.utf8.span) else { return nil }
        self.text = text
        self.form = form
    }

    /// The pattern that chooses one group.
    public init(_ group: GroupName) {
        text = group.text
        form = .exact
    }

    /// The form of these bytes, or `nil` when they are no pattern.
    public static func form(of bytes: Span<UInt8>) -> Form? {
        guard let last = bytes.indices.last, bytes[last] == UInt8(ascii: "*") else {
            return GroupName.isValid(bytes) ? .exact : nil
        }
        if bytes.count == 1 { return .every }
        guard bytes.count >= 3, bytes.count <= GroupName.maximumBytes, bytes[last - 1] == UInt8(ascii: "/") else {
            return nil
        }
        // A prefix of all segments would leave none for the groups below it.
        return GroupName.segments(of: bytes.extracting(first: last - 1), maximum: GroupName.maximumSegments - 1)
            .map { .below(segments: $0) }
    }

    /// Whether it chooses this group.
    public func matches(_ group: GroupName) -> Bool {
        switch form {
        case .exact: group.text == text
        case .below: group.text.utf8.starts(with: text.utf8.dropLast())
        case .every: true
        }
    }

    /// Whether it chooses every group that the other pattern chooses.
    ///
    /// Exact: every pattern chooses at least one group, and a pattern that chooses the groups below a prefix chooses
    /// more than any finite number of narrower patterns. So a pattern that several others cover together is covered by
    /// one of them.
    public func contains(_ other: GroupPattern) -> Bool {
        switch (form, other.form) {
        case (.every, _): true
        case (_, .every): false
        case (.exact, .exact): text == other.text
        case (.exact, .below): false
        case (.below, .exact): other.text.utf8.starts(with: text.utf8.dropLast())
        case (.below, .below): other.text.utf8.dropLast().starts(with: text.utf8.dropLast())
        }
    }
}

extension GroupPattern: Comparable {
    /// From the least specific to the most specific: `*`, then patterns by their number of segments, then names; equals
    /// in byte order. Of the policies that match a group the last in this order counts.
    public static func < (left: GroupPattern, right: GroupPattern) -> Bool {
        let (rank, otherRank) = (left.form.rank, right.form.rank)
        if rank != otherRank { return rank < otherRank }
        return left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension GroupPattern.Form {
    fileprivate var rank: Int {
        switch self {
        case .every: 0
        case .below(let segments): segments
        case .exact: GroupName.maximumSegments + 1
        }
    }
}

extension GroupPattern: CustomStringConvertible {
    /// The pattern as it is written.
    public var description: String { text }
}
