public import PopupProtocol

extension WirePopup {
    /// A popup of text with what most popups need; everything else is a property.
    ///
    /// - Parameters:
    ///   - id: names it for ever; empty: made when it is shown.
    ///   - group: where it competes.
    ///   - priority: higher goes first.
    ///   - duration: display time; nil: the group's default.
    ///   - title: a heading, for renderers that have one.
    ///   - text: what it says.
    ///   - actions: what the person can do.
    public init(
        id: String = "", group: String, priority: Int32 = 0, duration: Duration? = nil, title: String = "",
        text: String, actions: [WireAction] = []
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

    /// The text of the content: `data` is read as UTF-8.
    public var contentText: String {
        switch content {
        case .text(let text): text
        case .data(let data): String(decoding: data, as: UTF8.self)
        case nil: ""
        }
    }
}

extension WireAction {
    /// An action: what comes back, and what the person reads.
    public init(id: String, label: String) {
        self.init()
        self.id = id
        self.label = label
    }
}

extension Duration {
    /// As the wire has it: whole milliseconds, 0 to 4294967295 (49 days), the nearest that fits.
    public var wireMilliseconds: UInt32 {
        // The ends first: the whole seconds of the longest durations have no number of their own.
        guard self > .zero else { return 0 }
        guard self < .milliseconds(UInt32.max) else { return .max }
        let (seconds, attoseconds) = components
        return UInt32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
