public import PopupProtocol

extension WireSetPolicy {
    /// The rules of a group or pattern, over a preset; everything else is a property.
    public init(_ group: String, preset: WirePreset.Name = .unspecified) {
        self.init()
        self.group = group
        self.preset = preset
    }
}

extension WireCap {
    /// Shown at most so often in any window of a length.
    ///
    /// - Parameters:
    ///   - most: how often.
    ///   - window: the length.
    ///   - key: which popups are counted, by their `capKey`; nil: all of the group.
    public init(_ most: UInt32, per window: Duration, key: String? = nil) {
        self.init()
        self.most = most
        perMs = window.wireMilliseconds
        capKey = key ?? ""
    }
}

extension WireQuietWindow {
    /// A part of each day in which popups are held back.
    ///
    /// - Parameters:
    ///   - from: when it begins: "22:00".
    ///   - to: when it ends, on the next day if that is not later than `from`: "07:00".
    ///   - timeZone: by whose clocks: "Europe/Berlin".
    ///   - minPriority: popups of this priority and above are shown all the same; nil: none.
    public init(from: String, to: String, timeZone: String, minPriority: Int32? = nil) {
        self.init()
        self.from = from
        self.to = to
        self.timeZone = timeZone
        if let minPriority { self.minPriority = minPriority }
    }
}
