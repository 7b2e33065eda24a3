/// A pattern that matches groups: the name of a group, complete segments followed by `/*`, or `*` for every group.
///
/// `store-12/*` matches the groups below `store-12`, at any depth, but not `store-12` itself.
public struct GroupPattern: Hashable, Sendable {
    /// The form of a pattern.
    public enum Form: Hashable, Sendable {
        /// One group.
        case exact
        /// The groups below a prefix of this number of segments.
        case below(segments: Int)
        /// Every group.
        case every
    }

    /// The pattern as it is written.
    public let text: String
    /// The form of the pattern.
    public let form: Form

    /// `*`: every group.
    public static let every = GroupPattern(text: "*", form: .every)

    private init(text: String, form: Form) {
        self.text = text
        self.form = form
    }

    /// Creates a pattern; `nil` if `text` does not match the grammar.
    public init?(_ text: String) {
        guard let form = Self.form(of: text.utf8.span) else { return nil }
        self.text = text
        self.form = form
    }

    /// Creates the pattern that matches one group.
    public init(_ group: GroupName) {
        text = group.text
        form = .exact
    }

    /// Returns the form of the pattern in these bytes; `nil` if they are not a pattern.
    public static func form(of bytes: Span<UInt8>) -> Form? {
        guard let last = bytes.indices.last, bytes[last] == UInt8(ascii: "*") else {
            return GroupName.isValid(bytes) ? .exact : nil
        }
        if bytes.count == 1 { return .every }
        guard bytes.count >= 3, bytes.count <= GroupName.maximumBytes, bytes[last - 1] == UInt8(ascii: "/") else {
            return nil
        }
        // A prefix with all segments would leave none for the groups below it.
        return GroupName.segments(of: bytes.extracting(first: last - 1), maximum: GroupName.maxSegments - 1)
            .map { .below(segments: $0) }
    }

    /// Whether the pattern matches a group.
    public func matches(_ group: GroupName) -> Bool {
        switch form {
        case .exact: group.text == text
        case .below: group.text.utf8.starts(with: text.utf8.dropLast())
        case .every: true
        }
    }

    /// Whether the pattern matches every group that the other pattern matches.
    ///
    /// This is exact also for several patterns together: a pattern that matches the groups below a prefix matches more
    /// groups than any finite number of narrower patterns. So if several patterns cover another one together, one of
    /// them does.
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

extension GroupPattern {
    /// The beginning that the names, with a final slash, of all groups that it matches have in common: that of a
    /// subscription to them. It also covers other groups: those below a single group, and the group `store` of `store/*`.
    package var topicBeginning: String {
        switch form {
        case .every: ""
        case .exact: text + "/"
        case .below: String(text.dropLast())
        }
    }

    /// Whether a right in the groups of the pattern is one to read every group whose name, with a final slash, begins so.
    package func coversTopics(beginningWith name: some StringProtocol) -> Bool {
        switch form {
        case .every: true
        case .exact:
            name.utf8.starts(with: text.utf8) && name.utf8.dropFirst(text.utf8.count).first == UInt8(ascii: "/")
        case .below: name.utf8.starts(with: text.utf8.dropLast()) && name.utf8.count >= text.utf8.count
        }
    }
}

extension GroupPattern {
    /// Returns the words that name the groups whose topics begin with a text, and the pattern that grants them.
    package static func words(forTopicsBeginningWith name: Substring) -> String {
        if name.isEmpty { return #"all groups, by the pattern "*""# }
        guard name.utf8.last == UInt8(ascii: "/") else { return #"all groups that begin with "\#(name)""# }
        return #""\#(name.dropLast())" and the groups below it, by the group "\#(name.dropLast())""#
    }
}

extension GroupPattern: Comparable {
    /// Whether a pattern is less specific: `*` first, then patterns by their number of segments, then names; equals in
    /// byte order. Of the policies that match a group, the last in this order applies.
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
        case .exact: GroupName.maxSegments + 1
        }
    }
}

extension GroupPattern: CustomStringConvertible {
    /// The pattern as it is written.
    public var description: String { text }
}
