public import PopupScheduling

/// How one popup would have fared otherwise.
public struct PopupDifference: Sendable, Equatable {
    /// What is otherwise.
    public enum Change: Sendable, Equatable {
        /// It is first shown so many ms earlier.
        case earlier(Milliseconds)
        /// It is first shown so many ms later.
        case later(Milliseconds)
        /// It was shown, and isn't any more.
        case never
        /// It was never shown, and is now.
        case onlyNow
        /// It is shown so often, and was less.
        case moreOften(Int, was: Int)
        /// It is shown so often, and was more.
        case lessOften(Int, was: Int)
        /// It ends in another way.
        case endsOtherwise(PopupOutcome.End, was: PopupOutcome.End)
    }

    /// Its id.
    public var popup: String
    /// Its group.
    public var group: String
    /// Its title and the beginning of its text, as it was requested; empty if it has neither.
    public var content: String
    /// What really became of it.
    public var was: PopupOutcome
    /// What would.
    public var now: PopupOutcome
    /// What is otherwise: at least one.
    public var changes: [Change]

    /// The difference of two outcomes; `nil` when there is none.
    init?(popup: String, group: String, content: String, was: PopupOutcome, now: PopupOutcome) {
        self.popup = popup
        self.group = group
        self.content = content
        self.was = was
        self.now = now
        changes = []
        switch (was.shown.first, now.shown.first) {
        case (let before?, let after?) where after < before: changes.append(.earlier(before - after))
        case (let before?, let after?) where after > before: changes.append(.later(after - before))
        case (.some, nil): changes.append(.never)
        case (nil, .some): changes.append(.onlyNow)
        default: break
        }
        if !was.shown.isEmpty, !now.shown.isEmpty {
            if now.shown.count > was.shown.count { changes.append(.moreOften(now.shown.count, was: was.shown.count)) }
            if now.shown.count < was.shown.count { changes.append(.lessOften(now.shown.count, was: was.shown.count)) }
        }
        if !was.end.isAlike(now.end) { changes.append(.endsOtherwise(now.end, was: was.end)) }
        if changes.isEmpty { return nil }
    }
}

extension PopupDifference.Change: CustomStringConvertible {
    /// In words: `shown 400 ms later`.
    public var description: String {
        switch self {
        case .earlier(let time): "shown \(time) ms earlier"
        case .later(let time): "shown \(time) ms later"
        case .never: "never shown"
        case .onlyNow: "shown only now"
        case .moreOften(let count, let was), .lessOften(let count, let was):
            "shown \(Self.times(count)), not \(Self.times(was))"
        case .endsOtherwise(let end, let was): "ends \(end), not \(was)"
        }
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
