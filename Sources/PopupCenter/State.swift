extension PopupCenter {
    /// The state of a group.
    public struct State: Sendable {
        /// The popup that a group shows.
        public struct Active: Sendable {
            /// The id.
            public var id: String
            /// The content to show.
            public var content: Content
            /// The present priority.
            public var priority: Int32
            /// The display time that is left; `nil`: until it is dismissed. It passes from the moment of the state on.
            public var remaining: Duration?
            /// The number of times that it was shown, this time included, without resumptions.
            public var attempt: Int
            /// The revision that made it active or updated it last: a dismissal may name it.
            public var sinceRevision: UInt64
            /// Whether it is only offered: show nothing yet, and `answer`.
            public var isOffered: Bool
        }

        /// The group.
        public var group: String
        /// The number of changes so far.
        public var revision: UInt64 = 0
        /// The popup that it shows; `nil`: none.
        public var active: Active?
        /// The number of popups that wait, delayed ones included.
        public var waiting = 0
        /// The number of popups that were interrupted and come back.
        public var paused = 0

        init(_ group: String) { self.group = group }
    }
}

extension PopupCenter.State.Active {
    init(id: String, content: Content, _ active: ActivePopup) {
        self.init(
            id: id, content: content, priority: active.priority,
            remaining: active.remaining.map { .milliseconds(max(0, $0)) }, attempt: Int(active.attempt),
            sinceRevision: active.sinceRevision, isOffered: active.isOffered)
    }
}

extension PopupCenter.State: Equatable where Content: Equatable {}
extension PopupCenter.State.Active: Equatable where Content: Equatable {}
