internal import DequeModule
internal import PopupClient
internal import PopupProtocol
import Synchronization

/// The checks of the time that popups have left.
///
/// If display time counts only while somebody sees the popup, its clock stands still without a change of the group's state. A
/// state that the gateway has held meanwhile then says too little. So the gateway asks the broker when somebody sees the popup
/// again.
///
///     seen again ──▶ waits ──▶ asked ──▶ corrected for all readers
///                      ▲         │
///                      └─────────┘ seen again meanwhile
///
/// After the restart of a proxy, thousands of screens come at the same time: only a few groups are asked about at once.
final class TimeChecks: Sendable {
    fileprivate struct State {
        /// The groups that wait, in order, each once.
        var waiting: Deque<GroupName> = []
        var isWaiting: Set<GroupName> = []
        /// The groups that are asked about now, and whether to ask again afterwards.
        var asked: [GroupName: Bool] = [:]
    }

    private let ask: @Sendable (GroupName) async -> Void
    private let state = Mutex(State())

    /// The maximum number of groups that are asked about at once.
    static let maxAtOnce = 4

    /// - Parameter ask: Asks about a group, and corrects its state.
    init(ask: @escaping @Sendable (GroupName) async -> Void) {
        self.ask = ask
    }

    convenience init(_ hub: Hub, _ admin: AdminClient) {
        self.init { group in
            let asked = ContinuousClock.now
            var selector = PopupSelector()
            (selector.group, selector.active) = (group.text, true)
            // If the broker does not answer, the streams say that it is lost, and get its states again.
            guard let popup = try? await admin.list(selector).popups.first, let left = popup.remainingMs else { return }
            hub.correct(group, popup: popup.id, remainingMs: left, askedAt: asked, at: .now)
        }
    }

    /// Checks the time that the popup of a group has left. Of a group, there is one question at a time.
    func check(_ group: String) {
        guard let name = GroupName(group) else { return }
        guard let first = state.withLock({ $0.add(name) }) else { return }
        Task {
            var next: GroupName? = first
            while let group = next {
                await ask(group)
                next = state.withLock { $0.end(group) }
            }
        }
    }
}

extension TimeChecks.State {
    /// Adds a group. Returns the group that another task is to ask about; `nil` if none is needed, or there are enough.
    fileprivate mutating func add(_ group: GroupName) -> GroupName? {
        if asked[group] != nil {
            asked[group] = true
            return nil
        }
        wait(group)
        return takeNext()
    }

    /// Records that the question about a group is over. Returns the next group to ask about; `nil`: the task ends.
    fileprivate mutating func end(_ group: GroupName) -> GroupName? {
        if asked.removeValue(forKey: group) == true { wait(group) }
        return takeNext()
    }

    private mutating func takeNext() -> GroupName? {
        guard asked.count < TimeChecks.maxAtOnce, let group = waiting.popFirst() else { return nil }
        isWaiting.remove(group)
        asked[group] = false
        return group
    }

    private mutating func wait(_ group: GroupName) {
        if isWaiting.insert(group).inserted { waiting.append(group) }
    }
}

extension GroupPattern {
    /// Returns the patterns that match a group.
    static func patterns(matching group: GroupName) -> [GroupPattern] {
        let segments = group.text.split(separator: "/")
        let wider = segments.indices.dropFirst().compactMap { end in
            GroupPattern(segments[..<end].joined(separator: "/") + "/*")
        }
        return [GroupPattern(group), .every] + wider
    }
}
