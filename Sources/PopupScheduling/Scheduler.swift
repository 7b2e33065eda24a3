public struct Scheduler: ~Copyable {
    public init(limits: Limits = Limits(), seed: UInt64 = 0) {}

    /// When the next timer falls due; `nil` when none is set.
    public var nextDeadline: Milliseconds? { nil }

    /// Handles the one timer that is due first, if it is due at or before `now`. Returns whether there was one.
    /// Publish what is in `output` between steps: each step may change a group's state once.
    public mutating func step(until now: Milliseconds, into output: inout EventBuffer) -> Bool { false }

    /// Applies a command at `now`; whatever is due at or before `now` is handled first. Nothing is changed by a
    /// refused one; its refusal is returned and, where the group is known, also an event.
    @discardableResult
    public mutating func apply(
        _ command: Command, text: RawSpan, at now: Milliseconds, into output: inout EventBuffer
    ) -> Refusal? { nil }

    /// How many groups there are; their indices are below `groupCapacity`.
    public var groupCount: Int { 0 }
    /// All group indices are below it.
    public var groupCapacity: Int { 0 }
    /// Live popups.
    public var popupCount: Int { 0 }
    /// Ids remembered of closed popups.
    public var rememberedCount: Int { 0 }

    /// The group of this name, when there is one.
    public func group(named name: RawSpan) -> GroupIndex? { nil }
    /// The broadcast state of a group. `nil` when the place is free.
    public func state(of group: GroupIndex, at now: Milliseconds) -> GroupState? { nil }
    /// Appends the group's name.
    public func appendName(of group: GroupIndex, to bytes: inout [UInt8]) {}
    /// Appends the content of the group's active popup.
    public func appendActiveContent(of group: GroupIndex, to bytes: inout [UInt8]) {}
    /// The content of a live popup, for building the new one of an update.
    public func content(ofPopup id: RawSpan) -> [UInt8]? { nil }
    /// The groups whose name followed by `/` begins with `prefix`, in byte order, at most `limit`.
    public mutating func groups(withPrefix prefix: RawSpan, limit: Int) -> [GroupIndex] { [] }

    /// The live popups that a selector chooses: groups in byte order, in each the active one, the line, the delayed.
    public mutating func list(_ selector: Selector, text: RawSpan, limit: Int, at now: Milliseconds) -> [PopupSummary] { [] }
    /// How many live popups a selector chooses.
    public mutating func count(_ selector: Selector, text: RawSpan) -> Int { 0 }
    /// A group's popups: the active one, the line in its order, the delayed ones by their arrival.
    public func peek(group: RawSpan, limit: Int, at now: Milliseconds) -> [PopupSummary] { [] }
    /// What keeps a popup where it is, or closed it.
    public func explain(popup id: RawSpan, at now: Milliseconds) -> Explanation { fatalError() }
}
