internal import PopupProtocol

/// The grants of a user for `show`, in a form that answers for each popup without an allocation.
struct ShowGrants: Hashable, Sendable {
    private struct Entry: Hashable {
        var form: GroupPattern.Form
        /// The bytes with which a group's name begins, or those of the group.
        var name: Range<Int>
        var maxPriority: Int32
        var exclusive: Grant.ExclusiveReach
    }

    private var entries: [Entry] = []
    private var names: [UInt8] = []

    /// Creates the grants among these that give the right to show.
    init(_ grants: [Grant]) {
        for grant in grants where grant.rights.contains(.show) {
            for pattern in grant.groups {
                let start = names.count
                names.append(contentsOf: pattern.form.isBelow ? pattern.text.utf8.dropLast() : pattern.text.utf8[...])
                entries.append(
                    Entry(
                        form: pattern.form, name: start..<names.count, maxPriority: grant.maxPriority ?? .max,
                        exclusive: grant.exclusive))
            }
        }
    }

    /// Whether one of them allows a popup that replaces none of others.
    func allow(in group: RawSpan, priority: Int32, exclusive: Grant.ExclusiveReach) -> Bool {
        for index in entries.indices {
            let entry = entries[index]
            guard priority <= entry.maxPriority, exclusive == .none || exclusive <= entry.exclusive else {
                continue
            }
            switch entry.form {
            case .every: return true
            case .exact where group.byteCount != entry.name.count: continue
            case .below where group.byteCount < entry.name.count: continue
            case .exact, .below:
                if group.begins(with: names.span.bytes.extracting(entry.name)) { return true }
            }
        }
        return false
    }
}

extension RawSpan {
    /// Whether these bytes begin with others, of which there are no more.
    @inline(__always)
    fileprivate func begins(with beginning: RawSpan) -> Bool {
        let count = beginning.byteCount
        precondition(count <= byteCount)
        var offset = 0
        while count &- offset >= 8 {
            guard isEqual(to: beginning, at: offset, as: UInt64.self) else { return false }
            offset &+= 8
        }
        while offset < count {
            guard isEqual(to: beginning, at: offset, as: UInt8.self) else { return false }
            offset &+= 1
        }
        return true
    }

    @inline(__always)
    private func isEqual<Word: FixedWidthInteger & BitwiseCopyable>(
        to other: RawSpan, at offset: Int, as word: Word.Type
    ) -> Bool {
        unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: word)
            == other.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: word)
    }
}

extension GroupPattern.Form {
    fileprivate var isBelow: Bool {
        if case .below = self { true } else { false }
    }
}
