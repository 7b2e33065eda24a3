import PopupProtocol

/// The subject of one `sync`: a group with those below it, or all groups.
struct SyncTarget: Hashable {
    /// The group; `nil` for all groups.
    let group: GroupName?

    init(_ pattern: GroupPattern) {
        switch pattern.form {
        case .every: group = nil
        case .below: group = GroupName(String(pattern.text.dropLast(2)))
        case .exact: group = GroupName(pattern.text)
        }
    }

    func covers(_ name: String) -> Bool {
        guard let group else { return true }
        return name == group.text || name.utf8.starts(with: "\(group.text)/".utf8)
    }
}

/// A change of a subscriber's subscriptions.
enum SubscriptionChange: Equatable {
    case subscribe(String)
    case unsubscribe(String)
}
