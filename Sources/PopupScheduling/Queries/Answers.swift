/// What a group shows.
public struct GroupSummary: Sendable, Equatable {
    /// Counts the changes of this state.
    public var revision: UInt64
    /// How many popups wait, delayed ones included.
    public var waiting: Int
    /// How many popups are paused.
    public var paused: Int
    /// The popup it shows.
    public var active: ActivePopup?
}

/// What there is to tell of a group, its texts where the scheduler keeps them.
public struct GroupView {
    /// Its broadcast state.
    public let state: GroupSummary
    /// Its name.
    public let name: UnsafeRawBufferPointer
    /// The content of its active popup; empty when there is none.
    public let content: UnsafeRawBufferPointer
}

/// The popup that a group shows; its content is read with `Scheduler.appendActiveContent`.
public struct ActivePopup: Sendable, Equatable {
    /// In ms; `nil`: until dismissed.
    public var remaining: Milliseconds?
    /// How often it has been shown, this time included; a resumption is not counted.
    public var attempt: UInt32
    /// The revision that made it active or last updated it.
    public var sinceRevision: UInt64
    /// Its priority now.
    public var priority: Int32
    /// Whether it is only offered: asked for, not shown yet.
    public var isOffered = false
}

/// Where a popup is, its content where the scheduler keeps it.
public struct PopupWhereabouts {
    /// Its group.
    public let group: String
    /// Whether it is the one that its group shows.
    public let isShown: Bool
    /// What to show; empty when it has closed.
    public let content: UnsafeRawBufferPointer
    /// When it expires if it is not shown before; `nil`: it does not.
    public let expiry: Milliseconds?
}

/// Where a popup is in its life.
public enum Phase: UInt8, Sendable, CaseIterable {
    /// Accepted, and has not arrived yet.
    case delayed
    /// Accepted, and not shown yet.
    case waiting
    /// Holds the slot until a renderer answers.
    case offered
    /// The one that its group shows.
    case active
    /// Gave way, and will be active again.
    case paused
    /// Over.
    case closed
}

/// One popup in an answer.
public struct PopupSummary: Sendable, Equatable {
    /// Its id.
    public var id: String
    /// Its group.
    public var group: String
    /// Its own priority, whatever the policy makes of it.
    public var priority: Int32
    /// Where it is in its life.
    public var phase: Phase
    /// Its surface, or empty.
    public var surface: String
    /// Its collapse key, or empty.
    public var collapseKey: String
    /// Who asked for it.
    public var producer: ProducerID?
    /// How often it has been shown.
    public var attempt: UInt32
    /// Display time left in ms; `nil`: until dismissed.
    public var remaining: Milliseconds?
    /// In ms until it arrives; 0 when it has.
    public var delay: Milliseconds
}

/// What keeps a popup where it is, or closed it.
public struct Explanation: Sendable, Equatable {
    /// The rule that decides, one word of the field.
    public enum Rule: Sendable, Equatable {
        /// No popup has the id, or it was forgotten.
        case unknown
        /// It is the one that its group shows.
        case active
        /// It is offered to the renderers for so many ms more.
        case offered(Milliseconds)
        /// Its flow waits so many ms more for other members.
        case gathering(Milliseconds)
        /// It is shown only on a page that is not the current one, or not on the path to it.
        case page(PageBinding.Scope, tree: String, value: String)
        /// It is shown only in a session that is not the group's.
        case session(String)
        /// So many popups (of a cap key, or of the group) were shown lately; in so many ms the window allows one more.
        case cap(key: String, most: UInt32, window: UInt32, Milliseconds)
        /// A renderer asked to be offered it later: in so many ms.
        case retry(Milliseconds)
        /// Another member of its flow has to close first, by an action if one is named.
        case requirement(popup: String, action: String)
        /// Another member of its flow goes before it.
        case flow
        /// A flow keeps the slot for its members, for so many ms more if none comes.
        case held(Milliseconds)
        /// A quiet window holds its priority back for so many ms more at least.
        case quiet(Milliseconds)
        /// It arrives only in so many ms.
        case delayed(Milliseconds)
        /// Suspension tokens hold its priority back.
        case suspended
        /// The pause between two popups lasts so many ms more.
        case gap(Milliseconds)
        /// The active popup is protected for so many ms more by its minimum display time.
        case minimumDisplay(Milliseconds)
        /// The active popup may not be interrupted.
        case uninterruptible
        /// It takes its turn after the active popup and those before it in the queue.
        case queue(ahead: Int)
        /// It is over. `by` is the popup that closed it, or that it waited for, where there is one.
        case closed(CloseReason, action: String, by: String, at: Milliseconds, displayed: Milliseconds)
    }

    /// A rule that applies to a popup.
    public struct Reason: Sendable, Equatable {
        /// The rule.
        public var rule: Rule
        /// The popups or suspension tokens in its way: the active one first.
        public var blockers: [String]

        /// Creates a reason.
        public init(_ rule: Rule, _ blockers: [String] = []) {
            self.rule = rule
            self.blockers = blockers
        }
    }

    /// The popup.
    public var id: String
    /// Its group, when known.
    public var group: String
    /// Where it is in its life; `nil` when unknown.
    public var phase: Phase?
    /// The rule that decides.
    public var decisive: Reason
    /// The other rules that hold it back too, in the order in which they decide.
    public var others: [Reason] = []

    /// The rule that decides.
    public var rule: Rule { decisive.rule }
    /// The popups or suspension tokens in its way by the rule that decides.
    public var blockers: [String] { decisive.blockers }

    /// Returns the explanation of an id that no popup has.
    public static func unknown(_ id: String) -> Explanation {
        Explanation(id: id, group: "", phase: nil, decisive: Reason(.unknown))
    }
}
