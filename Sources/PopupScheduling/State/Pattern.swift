/// Which groups a command or policy is for: one by its name, all below a prefix of whole segments (`store/*`), or all
/// (`*`, or nothing in a selector).
enum Pattern {
    case name(UnsafeRawBufferPointer)
    /// The prefix with its `/`.
    case below(UnsafeRawBufferPointer)
    case all

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
}

extension Scheduler {
    /// The groups of a pattern in byte order of their names.
    mutating func groups(matching text: UnsafeRawBufferPointer) -> [GroupRecord.Index] {
        switch Pattern(text) {
        case .name(let name): findGroup(name).map { [$0] } ?? []
        case .below(let prefix): orderedGroups(withPrefix: prefix)
        case .all: orderedGroups()
        }
    }

    /// Groups in byte order of their names, each once.
    func inNameOrder(_ groups: [GroupRecord.Index]) -> [GroupRecord.Index] {
        var once = Array(Set(groups))
        once.sort(byName: { store[self.groups[$0].name] })
        return once
    }

    /// All groups in byte order of their names.
    mutating func orderedGroups() -> [GroupRecord.Index] {
        withOrder { order, name in order.all(name) }
    }

    /// Those whose name begins with `prefix`, at most `limit`: O(log n) to find, when no group is new.
    mutating func orderedGroups(withPrefix prefix: UnsafeRawBufferPointer, limit: Int = .max) -> [GroupRecord.Index] {
        withOrder { order, name in order.groups(withPrefix: prefix, limit: limit, name) }
    }

    /// Works on the order of the groups, which reads their names and so can't stay in the scheduler meanwhile.
    mutating func withOrder<Result>(
        _ work: (inout GroupOrder, GroupOrder.Name) -> Result
    ) -> Result {
        var order = GroupOrder()
        swap(&order, &self.order)
        defer { swap(&order, &self.order) }
        return work(&order) { store[groups[$0].name] }
    }
}
