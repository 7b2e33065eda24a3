public import PopupScheduling

/// The difference between two outcomes of a popup under different policies.
public struct PopupDifference: Sendable, Equatable {
    /// One aspect of the difference. Times are in ms.
    public enum Change: Sendable, Equatable {
        /// It is first shown earlier by this time.
        case earlier(Milliseconds)
        /// It is first shown later by this time.
        case later(Milliseconds)
        /// It was shown, and no longer is.
        case never
        /// It was never shown, and now is.
        case onlyNow
        /// It is shown more often: this number of times, before `was` times.
        case moreOften(Int, was: Int)
        /// It is shown less often: this number of times, before `was` times.
        case lessOften(Int, was: Int)
        /// It ends in another way.
        case endsOtherwise(PopupOutcome.End, was: PopupOutcome.End)
    }

    /// The id of the popup.
    public var popup: String
    /// The name of its group.
    public var group: String
    /// The title and the beginning of the text, as it was requested; empty if it has neither.
    public var content: String
    /// The time in ms within which it had to be shown, as it was requested; 0: no limit, or that of its group.
    public var timeToLive: UInt32
    /// The recorded outcome.
    public var was: PopupOutcome
    /// The outcome under the other policies.
    public var now: PopupOutcome
    /// The aspects that differ; not empty.
    public var changes: [Change]

    /// Creates the difference of two outcomes; `nil` if there is none.
    init?(
        popup: String, group: String, content: String, timeToLive: UInt32, was: PopupOutcome, now: PopupOutcome
    ) {
        self.popup = popup
        self.group = group
        self.content = content
        self.timeToLive = timeToLive
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
    /// The difference in words, for example `shown 400 ms later`.
    public var description: String { words { "\($0) ms" } }

    /// Returns the difference in words.
    ///
    /// - Parameter text: A function that returns a time in ms as text.
    public func words(_ text: (Milliseconds) -> String) -> String {
        switch self {
        case .earlier(let time): "shown \(text(time)) earlier"
        case .later(let time): "shown \(text(time)) later"
        case .never: "never shown"
        case .onlyNow: "shown only now"
        case .moreOften(let count, let was), .lessOften(let count, let was):
            "shown \(Self.times(count)), not \(Self.times(was))"
        case .endsOtherwise(let end, let was): "ends \(end), not \(was)"
        }
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
}
