/// A part of each day in which popups below a priority are held back, as by a suspension.
public struct QuietWindow: Sendable, Equatable {
    /// In minutes since midnight by the clocks of the zone: when it begins.
    public var from: UInt16
    /// In minutes since midnight by the clocks of the zone: when it ends, on the next day if it isn't after `from`.
    /// Differs from `from`.
    public var to: UInt16
    /// The clocks by which it goes.
    public var zone: TimeZoneRules
    /// Popups below it are held back; `nil`: all are.
    public var minimumPriority: Int32?

    /// A window.
    public init(from: UInt16, to: UInt16, zone: TimeZoneRules, minimumPriority: Int32? = nil) {
        self.from = from
        self.to = to
        self.zone = zone
        self.minimumPriority = minimumPriority
    }
}
