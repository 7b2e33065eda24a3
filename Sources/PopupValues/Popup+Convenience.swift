import PopupProtocol

extension Popup {
    /// Creates a popup of text with the usual fields. The other fields are properties.
    ///
    /// - Parameters:
    ///   - id: Its id, which is never reused; empty: made when it is shown.
    ///   - group: The group that shows it.
    ///   - priority: Its priority; popups of higher priority are shown first.
    ///   - duration: The display time; `nil`: the default of the group.
    ///   - title: The title.
    ///   - text: The text.
    ///   - actions: The actions that the user can choose.
    public init(
        id: String = "", group: String, priority: Int32 = 0, duration: Duration? = nil, title: String = "",
        text: String, actions: [PopupAction] = []
    ) {
        self.init()
        self.id = id
        self.group = group
        self.priority = priority
        self.durationMs = duration?.wireMilliseconds ?? 0
        self.text = text
        self.actions = actions
        if !title.isEmpty { self.presentation.title = title }
    }

    /// Returns the popup with its id, or with one of 128 random bits if it has none.
    package func named() -> Popup {
        guard id.isEmpty else { return self }
        var generator = SystemRandomNumberGenerator()
        var popup = self
        popup.id = ProducerName(using: &generator).description
        return popup
    }

    /// The text of the popup; its `data` as UTF-8, if it has no text.
    public var contentText: String {
        switch content {
        case .text(let text): text
        case .data(let data): String(decoding: data, as: UTF8.self)
        case nil: ""
        }
    }
}

extension PopupAction {
    /// Creates an action.
    ///
    /// - Parameters:
    ///   - id: The id in the dismissal.
    ///   - label: The text that the user reads.
    public init(id: String, label: String) {
        self.init()
        self.id = id
        self.label = label
    }
}

extension Duration {
    /// The duration in milliseconds, the unit of the protocol: truncated, and limited to 0 to 4294967295 (49 days).
    public var wireMilliseconds: UInt32 {
        // The limits first, since the seconds of the longest durations do not fit the arithmetic below.
        guard self > .zero else { return 0 }
        guard self < .milliseconds(UInt32.max) else { return .max }
        let (seconds, attoseconds) = components
        return UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
