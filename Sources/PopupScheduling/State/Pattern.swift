/// The groups to which a command or policy applies: one group by its name, all groups below a prefix of whole segments
/// (`store/*`), or all groups (`*`, or the empty text in a selector).
enum Pattern {
    case name(UnsafeRawBufferPointer)
    /// The prefix with its `/`.
    case below(UnsafeRawBufferPointer)
    case all

    /// The pattern of all groups, as a text.
    static let star = [UInt8(ascii: "*")]

    init(_ text: UnsafeRawBufferPointer) {
        let star = UInt8(ascii: "*")
        if text.isEmpty || text.count == 1 && text[0] == star {
            self = .all
        } else if text.count >= 2, text[text.count - 1] == star, text[text.count - 2] == UInt8(ascii: "/") {
            self = .below(text.first(text.count - 1))
        } else {
            self = .name(text)
        }
    }

    func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .name(let wanted): name.equals(wanted)
        case .below(let prefix): name.starts(withBytes: prefix)
        case .all: true
        }
    }
    /// Whether the names of both may have one in common.
    func overlaps(_ other: Pattern) -> Bool {
        switch (self, other) {
        case (.all, _), (_, .all): true
        case (.name(let name), _): other.matches(name)
        case (_, .name(let name)): matches(name)
        case (.below(let a), .below(let b)): a.starts(withBytes: b) || b.starts(withBytes: a)
        }
    }
}
