/// The broadcast state of a group.
public struct GroupSummary: Sendable, Equatable {
    /// The number of changes of this state.
    public var revision: UInt64
    /// The number of waiting popups, delayed ones included.
    public var waiting: Int
    /// The number of paused popups.
    public var paused: Int
    /// The popup that has the slot; `nil` if there is none.
    public var active: ActivePopup?
}

/// The broadcast state of a group with its texts, which are not copied.
public struct GroupView {
    /// The broadcast state.
    public let state: GroupSummary
    /// The name of the group.
    public let name: UnsafeRawBufferPointer
    /// The content of the popup that has the slot; empty if there is none.
    public let content: UnsafeRawBufferPointer
}

/// The popup that has the slot of a group. `Scheduler.appendActiveContent` returns its content.
public struct ActivePopup: Sendable, Equatable {
    /// The remaining display time in ms; `nil` if it lasts until it is dismissed.
    public var remaining: Milliseconds?
    /// The number of times that the popup was shown, this time included, without resumptions.
    public var attempt: UInt32
    /// The revision that activated or last updated it.
    public var sinceRevision: UInt64
    /// Its current priority.
    public var priority: Int32
    /// Whether it is offered, and not shown yet.
    public var isOffered = false
}

/// The group and the content of a popup. The content is not copied.
public struct PopupWhereabouts {
    /// The name of its group.
    public let group: String
    /// Whether it is the active popup of its group.
    public let isShown: Bool
    /// The content; empty if the popup has closed.
    public let content: UnsafeRawBufferPointer
    /// The time at which it expires if it is not shown before; `nil`: it does not expire.
    public let expiry: Milliseconds?
}

/// The phase of a popup.
public enum Phase: UInt8, Sendable, CaseIterable {
    /// Accepted, but not arrived yet.
    case delayed
    /// Arrived, but not shown yet.
    case waiting
    /// Has the slot until a renderer answers.
    case offered
    /// Shown by its group.
    case active
    /// Interrupted, and will be active again.
    case paused
    /// Closed.
    case closed
}

/// A popup in the answer to a query.
public struct PopupSummary: Sendable, Equatable {
    /// The id.
    public var id: String
    /// The name of the group.
    public var group: String
    /// The priority of the request or its last update, whatever the policy.
    public var priority: Int32
    /// The phase.
    public var phase: Phase
    /// The surface; empty for none.
    public var surface: String
    /// The collapse key; empty for none.
    public var collapseKey: String
    /// The producer that requested it; `nil` if unknown.
    public var producer: ProducerID?
    /// The number of times that it was shown.
    public var attempt: UInt32
    /// The remaining display time in ms; `nil` if it lasts until it is dismissed.
    public var remaining: Milliseconds?
    /// The time in ms until it arrives; 0 if it has arrived.
    public var delay: Milliseconds
}

/// An explanation of why a popup is where it is, or why it closed.
public struct Explanation: Sendable, Equatable {
    /// A rule that applies to a popup. Durations are in ms.
    public enum Rule: Sendable, Equatable {
        /// No live or remembered popup has the id.
        case unknown
        /// The popup is active.
        case active
        /// The popup is offered to the renderers; with the remaining time.
        case offered(Milliseconds)
        /// Its flow gathers other members; with the remaining time.
        case gathering(Milliseconds)
        /// It is bound to a page that is not current, or not on the path to the current page.
        case page(PageBinding.Scope, tree: String, value: String)
        /// It is bound to a session that is not the group's.
        case session(String)
        /// A cap is reached; with the time until its window allows the next showing. The key is empty if the cap counts
        /// the whole group.
        case cap(key: String, most: UInt32, window: UInt32, Milliseconds)
        /// There was no space to count a showing for a cap, so it allows none before one that it remembers leaves its
        /// window; with the time until then.
        case capWithoutSpace(key: String, most: UInt32, window: UInt32, Milliseconds)
        /// A renderer answered "later"; with the remaining time.
        case retry(Milliseconds)
        /// A member of its flow has to close first, with an action if one is given.
        case requirement(popup: String, action: String)
        /// Another member of its flow goes before it.
        case flow
        /// A flow holds the slot for its members; with the time until it gives the slot up.
        case held(Milliseconds)
        /// A quiet window holds its priority back; with the time until the next change of the policy's quiet windows.
        case quiet(Milliseconds)
        /// It has not arrived yet; with the remaining delay.
        case delayed(Milliseconds)
        /// Suspensions hold its priority back.
        case suspended
        /// The gap after the last popup has not ended; with the remaining time.
        case gap(Milliseconds)
        /// The minimum display time protects the active popup; with the remaining time.
        case minimumDisplay(Milliseconds)
        /// The active popup may not be interrupted.
        case uninterruptible
        /// It waits behind the active popup and the given number of eligible popups in the queue.
        case queue(ahead: Int)
        /// It has closed. `by` is the popup that closed it, or the required one; empty if there is none.
        case closed(CloseReason, action: String, by: String, at: Milliseconds, displayed: Milliseconds)
    }

    /// A rule that applies to a popup, and what blocks the popup by that rule.
    public struct Reason: Sendable, Equatable {
        /// The rule.
        public var rule: Rule
        /// The ids of popups, the active one first, or suspension tokens.
        public var blockers: [String]

        /// Creates a reason.
        public init(_ rule: Rule, _ blockers: [String] = []) {
            self.rule = rule
            self.blockers = blockers
        }
    }

    /// The id of the popup.
    public var id: String
    /// The name of its group; empty if unknown.
    public var group: String
    /// The phase; `nil` if the popup is unknown.
    public var phase: Phase?
    /// The rule that decides.
    public var decisive: Reason
    /// The other rules that hold the popup back, in the order in which they decide.
    public var others: [Reason] = []

    /// The rule that decides.
    public var rule: Rule { decisive.rule }
    /// The popup or page that holds it back by the rule that decides.
    public var blockers: [String] { decisive.blockers }

    /// Returns the explanation of an id that no popup has.
    public static func unknown(_ id: String) -> Explanation {
        Explanation(id: id, group: "", phase: nil, decisive: Reason(.unknown))
    }
}
