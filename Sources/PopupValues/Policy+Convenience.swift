extension GroupPolicy {
    /// Creates the policy of a group or pattern with a preset. The other rules are properties.
    public init(_ group: String, preset: PolicyPreset = .unspecified) {
        self.init()
        self.group = group
        self.preset = preset
    }
}

extension PopupCap {
    /// Creates a cap on the number of showings in any period.
    ///
    /// - Parameters:
    ///   - most: The maximum number of showings.
    ///   - window: The length of the period.
    ///   - key: The `capKey` of the popups that are counted; `nil`: all popups of the group.
    public init(_ most: UInt32, per window: Duration, key: String? = nil) {
        self.init()
        self.most = most
        perMs = window.wireMilliseconds
        capKey = key ?? ""
    }
}

extension QuietWindow {
    /// Creates a time of each day in which popups are held back.
    ///
    /// - Parameters:
    ///   - from: The beginning: "22:00".
    ///   - to: The end, on the next day if it is not later than `from`: "07:00".
    ///   - timeZone: The time zone: "Europe/Berlin".
    ///   - minPriority: Popups of this priority and above are shown nevertheless; `nil`: none.
    public init(from: String, to: String, timeZone: String, minPriority: Int32? = nil) {
        self.init()
        self.from = from
        self.to = to
        self.timeZone = timeZone
        self.minPriority = minPriority
    }
}
