// Made by Scripts/popup_values.py from Schema/popup_broker.proto: don't edit.
// swift-format-ignore-file

public import PopupProtocol

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A popup, as it is asked for and as it is shown.
public struct Popup: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WirePopup

    /// Creates a value without any field set.
    public init() { wire = WirePopup() }

    @_spi(Wire) public init(wire: WirePopup) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The permanent identity of the popup: at most 200 bytes without control characters. If it is empty,
    /// the client makes one when it is shown.
    public var id: String {
        get { wire.id }
        set { wire.id = newValue }
    }

    /// The group that shows it; a name, not a pattern.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The priority; higher is more urgent.
    public var priority: Int32 {
        get { wire.priority }
        set { wire.priority = newValue }
    }

    /// The display time; 0: the group's `defaultDurationMs`. The group's `maxDurationMs` limits it.
    public var durationMs: UInt32 {
        get { wire.durationMs }
        set { wire.durationMs = newValue }
    }

    /// The time within which it must be shown first, or it closes `EXPIRED`; 0: no limit.
    public var ttlMs: UInt32 {
        get { wire.ttlMs }
        set { wire.ttlMs = newValue }
    }

    /// The time after which it arrives.
    public var delayMs: UInt32 {
        get { wire.delayMs }
        set { wire.delayMs = newValue }
    }

    /// The time before which neither a newcomer nor `advance` takes the slot.
    public var minDisplayMs: UInt32 {
        get { wire.minDisplayMs }
        set { wire.minDisplayMs = newValue }
    }

    /// The popups that it closes when it arrives.
    public var exclusive: Popup.Exclusive {
        get { Popup.Exclusive(wire: wire.exclusive) }
        set { wire.exclusive = newValue.wire }
    }

    /// The collapse key: a live popup of the group with the same key is replaced.
    public var collapseKey: String {
        get { wire.collapseKey }
        set { wire.collapseKey = newValue }
    }

    /// Whether a newcomer may stop or pause it; `nil`: true.
    public var interruptible: Bool? {
        get { wire.hasInterruptible ? wire.interruptible : nil }
        set {
            if let newValue { wire.interruptible = newValue } else { wire.clearInterruptible() }
        }
    }

    /// The content: text or bytes.
    public enum Content: Hashable, Sendable {
        /// The content as text.
        case text(String)
        /// The content as bytes. One of `text` and `data`.
        case data(Data)

        init?(wire: WirePopup.OneOf_Content) {
            switch wire {
            case .text(let value): self = .text(value)
            case .data(let value): self = .data(value)
            }
        }

        @_spi(Wire) public var wire: WirePopup.OneOf_Content {
            switch self {
            case .text(let value): .text(value)
            case .data(let value): .data(value)
            }
        }
    }

    /// The content: text or bytes; `nil`: nothing.
    public var content: Content? {
        get { wire.content.flatMap(Content.init(wire:)) }
        set { wire.content = newValue?.wire }
    }

    /// The content as text.
    public var text: String? {
        get { if case .text(let value)? = wire.content { value } else { nil } }
        set {
            if let newValue {
                wire.content = .text(newValue)
            } else if case .text? = wire.content {
                wire.content = nil
            }
        }
    }

    /// The content as bytes. One of `text` and `data`.
    public var data: Data? {
        get { if case .data(let value)? = wire.content { value } else { nil } }
        set {
            if let newValue {
                wire.content = .data(newValue)
            } else if case .data? = wire.content {
                wire.content = nil
            }
        }
    }

    /// The media type of `text` or `data`; passed on unchanged.
    public var contentType: String {
        get { wire.contentType }
        set { wire.contentType = newValue }
    }

    /// The answers that the user can choose; at most 32.
    public var actions: [PopupAction] {
        get { wire.actions.map(PopupAction.init(wire:)) }
        set { wire.actions = newValue.map(\.wire) }
    }

    /// Hints for the renderer; passed on unchanged.
    public var presentation: PopupPresentation {
        get { PopupPresentation(wire: wire.presentation) }
        set { wire.presentation = newValue.wire }
    }

    /// Its place in a sequence of related popups.
    public var flow: PopupFlow? {
        get { wire.hasFlow ? PopupFlow(wire: wire.flow) : nil }
        set {
            if let newValue { wire.flow = newValue.wire } else { wire.clearFlow() }
        }
    }

    /// The page to which it is bound.
    public var page: PageBinding? {
        get { wire.hasPage ? PageBinding(wire: wire.page) : nil }
        set {
            if let newValue { wire.page = newValue.wire } else { wire.clearPage() }
        }
    }

    /// The session to which it is bound.
    public var session: String {
        get { wire.session }
        set { wire.session = newValue }
    }

    /// The part of the screen for it; used only by selectors.
    public var surface: String {
        get { wire.surface }
        set { wire.surface = newValue }
    }

    /// The time for which it is offered to the renderers before it is shown; 0: the group's.
    public var offerMs: UInt32 {
        get { wire.offerMs }
        set { wire.offerMs = newValue }
    }

    /// The number of renderers that have to dismiss it before it closes; 0: the group's `quorum`, or 1.
    public var quorum: UInt32 {
        get { wire.quorum }
        set { wire.quorum = newValue }
    }

    /// Whether all live renderers have to dismiss it.
    public var quorumAll: Bool {
        get { wire.quorumAll }
        set { wire.quorumAll = newValue }
    }

    /// The key of the caps against which it counts.
    public var capKey: String {
        get { wire.capKey }
        set { wire.capKey = newValue }
    }

    /// The language of title, text and labels: a tag of BCP 47 such as `de-CH`, at most 35 bytes, as RFC
    /// 5646 recommends; passed on unchanged, so that a renderer can set `lang` and a screen reader can
    /// pronounce the text.
    public var language: String {
        get { wire.language }
        set { wire.language = newValue }
    }

    /// Output only: the display time left; `nil` if it stays until it is dismissed.
    public var remainingMs: UInt32? {
        get { wire.hasRemainingMs ? wire.remainingMs : nil }
        set {
            if let newValue { wire.remainingMs = newValue } else { wire.clearRemainingMs() }
        }
    }

    /// Output only: the number of times it has been shown, including this time; a resumption does not count.
    public var attempt: UInt32 {
        get { wire.attempt }
        set { wire.attempt = newValue }
    }

    /// Output only: the revision that made it active or last updated it; `dismiss.revision` must be at least
    /// this.
    public var sinceRevision: UInt64 {
        get { wire.sinceRevision }
        set { wire.sinceRevision = newValue }
    }

    /// Output only: the user that requested it; empty for a client without a key.
    public var by: String {
        get { wire.by }
        set { wire.by = newValue }
    }
}

extension Popup {
    /// The popups that a popup closes when it arrives.
    public enum Exclusive: Hashable, Sendable, CaseIterable {
        /// No other popup.
        case none
        /// All other popups of the group.
        case group
        /// All other popups of every group.
        case all
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [Popup.Exclusive] { [.none, .group, .all] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WirePopup.Exclusive) {
            switch wire {
            case .none: self = .none
            case .group: self = .group
            case .all: self = .all
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WirePopup.Exclusive {
            switch self {
            case .none: .none
            case .group: .group
            case .all: .all
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

/// An answer that a user can choose, with its id and label.
public struct PopupAction: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireAction

    /// Creates a value without any field set.
    public init() { wire = WireAction() }

    @_spi(Wire) public init(wire: WireAction) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The id, which is returned in `dismiss.action`.
    public var id: String {
        get { wire.id }
        set { wire.id = newValue }
    }

    /// The text that the user reads; at most 1000 bytes.
    public var label: String {
        get { wire.label }
        set { wire.label = newValue }
    }
}

/// The presentation of a popup: title, icon, style and scene.
public struct PopupPresentation: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WirePresentation

    /// Creates a value without any field set.
    public init() { wire = WirePresentation() }

    @_spi(Wire) public init(wire: WirePresentation) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The place on the screen.
    public var scene: PopupPresentation.Scene {
        get { PopupPresentation.Scene(wire: wire.scene) }
        set { wire.scene = newValue.wire }
    }

    /// The way in which it appears and disappears.
    public var animation: PopupPresentation.Animation {
        get { PopupPresentation.Animation(wire: wire.animation) }
        set { wire.animation = newValue.wire }
    }

    /// Whether a touch outside dismisses it, with the action `outside`.
    public var dismissOnOutside: Bool {
        get { wire.dismissOnOutside }
        set { wire.dismissOnOutside = newValue }
    }

    /// Whether to show the time left.
    public var countdown: Bool {
        get { wire.countdown }
        set { wire.countdown = newValue }
    }

    /// Whether to dim everything behind it.
    public var backdrop: Bool {
        get { wire.backdrop }
        set { wire.backdrop = newValue }
    }

    /// The radius of the corners in the renderer's pixels.
    public var cornerRadius: UInt32 {
        get { wire.cornerRadius }
        set { wire.cornerRadius = newValue }
    }

    /// A line above the content.
    public var title: String {
        get { wire.title }
        set { wire.title = newValue }
    }

    /// A named icon or its URL.
    public var icon: String {
        get { wire.icon }
        set { wire.icon = newValue }
    }

    /// The style: `info`, `success`, `warning`, `error`, or a word of the application's own.
    public var style: String {
        get { wire.style }
        set { wire.style = newValue }
    }
}

extension PopupPresentation {
    /// The place of a popup on the screen.
    public enum Scene: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// A box in the middle.
        case center
        /// A sheet from the lower edge.
        case bottomSheet
        /// A bar along the upper edge.
        case topBar
        /// The whole screen.
        case fullScreen
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [PopupPresentation.Scene] { [.unspecified, .center, .bottomSheet, .topBar, .fullScreen] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WirePresentation.Scene) {
            switch wire {
            case .unspecified: self = .unspecified
            case .center: self = .center
            case .bottomSheet: self = .bottomSheet
            case .topBar: self = .topBar
            case .fullScreen: self = .fullScreen
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WirePresentation.Scene {
            switch self {
            case .unspecified: .unspecified
            case .center: .center
            case .bottomSheet: .bottomSheet
            case .topBar: .topBar
            case .fullScreen: .fullScreen
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

extension PopupPresentation {
    /// The way in which a popup appears and disappears.
    public enum Animation: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// It appears at once.
        case noAnimation
        /// It fades.
        case fade
        /// It slides.
        case slide
        /// It grows.
        case zoom
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [PopupPresentation.Animation] { [.unspecified, .noAnimation, .fade, .slide, .zoom] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WirePresentation.Animation) {
            switch wire {
            case .unspecified: self = .unspecified
            case .noAnimation: self = .noAnimation
            case .fade: self = .fade
            case .slide: self = .slide
            case .zoom: self = .zoom
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WirePresentation.Animation {
            switch self {
            case .unspecified: .unspecified
            case .noAnimation: .noAnimation
            case .fade: .fade
            case .slide: .slide
            case .zoom: .zoom
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

/// The membership of a popup in a flow.
public struct PopupFlow: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireFlow

    /// Creates a value without any field set.
    public init() { wire = WireFlow() }

    @_spi(Wire) public init(wire: WireFlow) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The key of the flow: popups of one group with one key are one flow; must not be empty.
    public var key: String {
        get { wire.key }
        set { wire.key = newValue }
    }

    /// The stage; members are shown in ascending order.
    public var stage: UInt32 {
        get { wire.stage }
        set { wire.stage = newValue }
    }

    /// The member that must have closed before, and how.
    public var requires: PopupRequirement? {
        get { wire.hasRequires ? PopupRequirement(wire: wire.requires) : nil }
        set {
            if let newValue { wire.requires = newValue.wire } else { wire.clearRequires() }
        }
    }

    /// The time for which the flow keeps the slot after this member closes.
    public var holdMs: UInt32 {
        get { wire.holdMs }
        set { wire.holdMs = newValue }
    }
}

/// The member of a flow that must close first, and how.
public struct PopupRequirement: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireRequirement

    /// Creates a value without any field set.
    public init() { wire = WireRequirement() }

    @_spi(Wire) public init(wire: WireRequirement) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The id of the member; not the popup's own.
    public var popup: String {
        get { wire.popup }
        set { wire.popup = newValue }
    }

    /// The action with which it must have closed; empty: any.
    public var action: String {
        get { wire.action }
        set { wire.action = newValue }
    }
}

/// The page that a popup is bound to.
public struct PageBinding: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WirePageBinding

    /// Creates a value without any field set.
    public init() { wire = WirePageBinding() }

    @_spi(Wire) public init(wire: WirePageBinding) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The tree.
    public var tree: String {
        get { wire.tree }
        set { wire.tree = newValue }
    }

    /// The page's value.
    public var value: String {
        get { wire.value }
        set { wire.value = newValue }
    }

    /// The pages on which it is shown.
    public var scope: PageBinding.Scope {
        get { PageBinding.Scope(wire: wire.scope) }
        set { wire.scope = newValue.wire }
    }
}

extension PageBinding {
    /// The pages on which a bound popup is shown.
    public enum Scope: Hashable, Sendable, CaseIterable {
        /// Same as `current`.
        case unspecified
        /// Shown only while the value is the current page.
        case current
        /// Shown while the value is anywhere on the path to the current page.
        case within
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [PageBinding.Scope] { [.unspecified, .current, .within] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WirePageBinding.Scope) {
            switch wire {
            case .unspecified: self = .unspecified
            case .current: self = .current
            case .within: self = .within
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WirePageBinding.Scope {
            switch self {
            case .unspecified: .unspecified
            case .current: .current
            case .within: .within
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

/// A change of a live popup.
public struct PopupUpdate: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireUpdate

    /// Creates a value without any field set.
    public init() { wire = WireUpdate() }

    @_spi(Wire) public init(wire: WireUpdate) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The popup; it must be live.
    public var id: String {
        get { wire.id }
        set { wire.id = newValue }
    }

    /// The new priority, which moves it in the queue; preemption is judged again.
    public var priority: Int32? {
        get { wire.hasPriority ? wire.priority : nil }
        set {
            if let newValue { wire.priority = newValue } else { wire.clearPriority() }
        }
    }

    /// The new display time; 0: the group's default.
    public var durationMs: UInt32? {
        get { wire.hasDurationMs ? wire.durationMs : nil }
        set {
            if let newValue { wire.durationMs = newValue } else { wire.clearDurationMs() }
        }
    }

    /// Whether the display time starts over.
    public var restartTimer: Bool {
        get { wire.restartTimer }
        set { wire.restartTimer = newValue }
    }

    /// The new content: text or bytes.
    public enum Content: Hashable, Sendable {
        /// The new content as text.
        case text(String)
        /// The new content as bytes.
        case data(Data)

        init?(wire: WireUpdate.OneOf_Content) {
            switch wire {
            case .text(let value): self = .text(value)
            case .data(let value): self = .data(value)
            }
        }

        @_spi(Wire) public var wire: WireUpdate.OneOf_Content {
            switch self {
            case .text(let value): .text(value)
            case .data(let value): .data(value)
            }
        }
    }

    /// The new content: text or bytes; `nil`: nothing.
    public var content: Content? {
        get { wire.content.flatMap(Content.init(wire:)) }
        set { wire.content = newValue?.wire }
    }

    /// The new content as text.
    public var text: String? {
        get { if case .text(let value)? = wire.content { value } else { nil } }
        set {
            if let newValue {
                wire.content = .text(newValue)
            } else if case .text? = wire.content {
                wire.content = nil
            }
        }
    }

    /// The new content as bytes.
    public var data: Data? {
        get { if case .data(let value)? = wire.content { value } else { nil } }
        set {
            if let newValue {
                wire.content = .data(newValue)
            } else if case .data? = wire.content {
                wire.content = nil
            }
        }
    }

    /// The new type.
    public var contentType: String? {
        get { wire.hasContentType ? wire.contentType : nil }
        set {
            if let newValue { wire.contentType = newValue } else { wire.clearContentType() }
        }
    }

    /// The new actions, which replace all others if there are any.
    public var actions: [PopupAction] {
        get { wire.actions.map(PopupAction.init(wire:)) }
        set { wire.actions = newValue.map(\.wire) }
    }

    /// The new presentation, which replaces the old one as a whole.
    public var presentation: PopupPresentation? {
        get { wire.hasPresentation ? PopupPresentation(wire: wire.presentation) : nil }
        set {
            if let newValue { wire.presentation = newValue.wire } else { wire.clearPresentation() }
        }
    }

    /// Whether a newcomer may stop or pause it from now on.
    public var interruptible: Bool? {
        get { wire.hasInterruptible ? wire.interruptible : nil }
        set {
            if let newValue { wire.interruptible = newValue } else { wire.clearInterruptible() }
        }
    }

    /// The group in which the sender believes the popup to be. If the popup is in another one, the command
    /// is refused `NOT_FOUND`; empty: any group.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }
}

/// A selection of popups, for `clear`, `list` and `count`.
public struct PopupSelector: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireSelector

    /// Creates a value without any field set.
    public init() { wire = WireSelector() }

    @_spi(Wire) public init(wire: WireSelector) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// A name or a pattern; empty: every group.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The surface of the popups.
    public var surface: String {
        get { wire.surface }
        set { wire.surface = newValue }
    }

    /// The collapse key of the popups.
    public var collapseKey: String {
        get { wire.collapseKey }
        set { wire.collapseKey = newValue }
    }

    /// The producer of the popups.
    public var producer: String {
        get { wire.producer }
        set { wire.producer = newValue }
    }

    /// The priority strictly below which popups are selected.
    public var priorityBelow: Int32? {
        get { wire.hasPriorityBelow ? wire.priorityBelow : nil }
        set {
            if let newValue { wire.priorityBelow = newValue } else { wire.clearPriorityBelow() }
        }
    }

    /// The priority strictly above which popups are selected.
    public var priorityAbove: Int32? {
        get { wire.hasPriorityAbove ? wire.priorityAbove : nil }
        set {
            if let newValue { wire.priorityAbove = newValue } else { wire.clearPriorityAbove() }
        }
    }

    /// Whether active popups are selected. With none of `active`, `waiting`, `paused`, all three are.
    public var active: Bool {
        get { wire.active }
        set { wire.active = newValue }
    }

    /// Whether waiting popups are selected, including delayed ones.
    public var waiting: Bool {
        get { wire.waiting }
        set { wire.waiting = newValue }
    }

    /// Whether paused popups are selected.
    public var paused: Bool {
        get { wire.paused }
        set { wire.paused = newValue }
    }
}

/// The policy of a group, or of all groups of a pattern.
public struct GroupPolicy: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireSetPolicy

    /// Creates a value without any field set.
    public init() { wire = WireSetPolicy() }

    @_spi(Wire) public init(wire: WireSetPolicy) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// A name or a pattern: the exact name wins, then the pattern with the most segments, then `*`; nothing
    /// is inherited between them.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The policy that the other fields change; `unspecified`: `priority`.
    public var preset: PolicyPreset {
        get { PolicyPreset(wire: wire.preset) }
        set { wire.preset = newValue.wire }
    }

    /// The effect of a newcomer of higher priority on the active popup.
    public var higher: GroupPolicy.Interruption {
        get { GroupPolicy.Interruption(wire: wire.higher) }
        set { wire.higher = newValue.wire }
    }

    /// The effect of a newcomer of the same priority.
    public var peers: GroupPolicy.Interruption {
        get { GroupPolicy.Interruption(wire: wire.peers) }
        set { wire.peers = newValue.wire }
    }

    /// The effect of a newcomer of lower priority.
    public var lower: GroupPolicy.Interruption {
        get { GroupPolicy.Interruption(wire: wire.lower) }
        set { wire.lower = newValue.wire }
    }

    /// Whether every priority counts as 0.
    public var ignorePriority: Bool? {
        get { wire.hasIgnorePriority ? wire.ignorePriority : nil }
        set {
            if let newValue { wire.ignorePriority = newValue } else { wire.clearIgnorePriority() }
        }
    }

    /// The display time of a resumed popup.
    public var resume: GroupPolicy.Resumption {
        get { GroupPolicy.Resumption(wire: wire.resume) }
        set { wire.resume = newValue.wire }
    }

    /// The gap between two popups; sets the next two fields to the same value.
    public var gapMs: UInt32? {
        get { wire.hasGapMs ? wire.gapMs : nil }
        set {
            if let newValue { wire.gapMs = newValue } else { wire.clearGapMs() }
        }
    }

    /// The shortest gap; each gap is drawn at random from this range.
    public var gapMinMs: UInt32? {
        get { wire.hasGapMinMs ? wire.gapMinMs : nil }
        set {
            if let newValue { wire.gapMinMs = newValue } else { wire.clearGapMinMs() }
        }
    }

    /// The longest gap.
    public var gapMaxMs: UInt32? {
        get { wire.hasGapMaxMs ? wire.gapMaxMs : nil }
        set {
            if let newValue { wire.gapMaxMs = newValue } else { wire.clearGapMaxMs() }
        }
    }

    /// The time for which the first member of a flow waits for the others.
    public var gatherMs: UInt32? {
        get { wire.hasGatherMs ? wire.gatherMs : nil }
        set {
            if let newValue { wire.gatherMs = newValue } else { wire.clearGatherMs() }
        }
    }

    /// The display time of popups that set none; 0: until dismissed.
    public var defaultDurationMs: UInt32? {
        get { wire.hasDefaultDurationMs ? wire.defaultDurationMs : nil }
        set {
            if let newValue { wire.defaultDurationMs = newValue } else { wire.clearDefaultDurationMs() }
        }
    }

    /// The longest display time of a popup; 0: no limit.
    public var maxDurationMs: UInt32? {
        get { wire.hasMaxDurationMs ? wire.maxDurationMs : nil }
        set {
            if let newValue { wire.maxDurationMs = newValue } else { wire.clearMaxDurationMs() }
        }
    }

    /// The time that counts as display time.
    public var clock: GroupPolicy.DisplayClock {
        get { GroupPolicy.DisplayClock(wire: wire.clock) }
        set { wire.clock = newValue.wire }
    }

    /// The time for which a popup is offered to the renderers before it is shown.
    public var offerMs: UInt32? {
        get { wire.hasOfferMs ? wire.offerMs : nil }
        set {
            if let newValue { wire.offerMs = newValue } else { wire.clearOfferMs() }
        }
    }

    /// The outcome of an offer that is not answered.
    public var offerDefault: GroupPolicy.OfferDefault {
        get { GroupPolicy.OfferDefault(wire: wire.offerDefault) }
        set { wire.offerDefault = newValue.wire }
    }

    /// The time for which a popup is not eligible after `later`; 5000 by default.
    public var retryMs: UInt32? {
        get { wire.hasRetryMs ? wire.retryMs : nil }
        set {
            if let newValue { wire.retryMs = newValue } else { wire.clearRetryMs() }
        }
    }

    /// The time within which a renderer must report `displayed`, at least 10; 0: no limit.
    public var displayTimeoutMs: UInt32? {
        get { wire.hasDisplayTimeoutMs ? wire.displayTimeoutMs : nil }
        set {
            if let newValue { wire.displayTimeoutMs = newValue } else { wire.clearDisplayTimeoutMs() }
        }
    }

    /// The outcome if no renderer reports in this time.
    public var undisplayed: GroupPolicy.Undisplayed {
        get { GroupPolicy.Undisplayed(wire: wire.undisplayed) }
        set { wire.undisplayed = newValue.wire }
    }

    /// The outcome if the last renderer that displayed a popup disappears.
    public var rendererLost: GroupPolicy.RendererLost {
        get { GroupPolicy.RendererLost(wire: wire.rendererLost) }
        set { wire.rendererLost = newValue.wire }
    }

    /// The greatest number of showings of a popup, 1 to 100; 3 by default.
    public var maxAttempts: UInt32? {
        get { wire.hasMaxAttempts ? wire.maxAttempts : nil }
        set {
            if let newValue { wire.maxAttempts = newValue } else { wire.clearMaxAttempts() }
        }
    }

    /// The number of renderers that have to dismiss a popup; 1 by default.
    public var quorum: UInt32? {
        get { wire.hasQuorum ? wire.quorum : nil }
        set {
            if let newValue { wire.quorum = newValue } else { wire.clearQuorum() }
        }
    }

    /// The caps on showings; at most 16.
    public var caps: [PopupCap] {
        get { wire.caps.map(PopupCap.init(wire:)) }
        set { wire.caps = newValue.map(\.wire) }
    }

    /// The daily quiet windows; at most 16.
    public var quiet: [QuietWindow] {
        get { wire.quiet.map(QuietWindow.init(wire:)) }
        set { wire.quiet = newValue.map(\.wire) }
    }

    /// The greatest number of waiting popups; `nil`: as many as the broker's limit allows.
    public var maxWaiting: UInt32? {
        get { wire.hasMaxWaiting ? wire.maxWaiting : nil }
        set {
            if let newValue { wire.maxWaiting = newValue } else { wire.clearMaxWaiting() }
        }
    }

    /// The popup that gives way beyond that number.
    public var overflow: GroupPolicy.Overflow {
        get { GroupPolicy.Overflow(wire: wire.overflow) }
        set { wire.overflow = newValue.wire }
    }

    /// The time in which the priority of a waiting popup rises by one; 0: never.
    public var agingMs: UInt32? {
        get { wire.hasAgingMs ? wire.agingMs : nil }
        set {
            if let newValue { wire.agingMs = newValue } else { wire.clearAgingMs() }
        }
    }

    /// The tree of pages whose path the events of the group carry.
    public var pageTree: String? {
        get { wire.hasPageTree ? wire.pageTree : nil }
        set {
            if let newValue { wire.pageTree = newValue } else { wire.clearPageTree() }
        }
    }

    /// Whether all live renderers have to dismiss a popup.
    public var quorumAll: Bool? {
        get { wire.hasQuorumAll ? wire.quorumAll : nil }
        set {
            if let newValue { wire.quorumAll = newValue } else { wire.clearQuorumAll() }
        }
    }
}

/// A preset of a policy.
public enum PolicyPreset: Hashable, Sendable, CaseIterable {
    /// Not set.
    case unspecified
    /// Higher priority interrupts; equal priority waits its turn.
    case priority
    /// First in, first out.
    case fifo
    /// The newest on top; the one below comes back.
    case lifo
    /// Priority only orders the queue; the active popup is never interrupted.
    case polite
    /// The highest priority on top; the display time starts over when a popup comes back.
    case stacked
    /// A value that this version does not have, by its number.
    case unrecognized(Int)

    /// All values that this version has.
    public static var allCases: [PolicyPreset] { [.unspecified, .priority, .fifo, .lifo, .polite, .stacked] }

    /// The name of the value in the schema.
    public var name: String { wire.schemaName }

    @_spi(Wire) public init(wire: WirePreset.Name) {
        switch wire {
        case .unspecified: self = .unspecified
        case .priority: self = .priority
        case .fifo: self = .fifo
        case .lifo: self = .lifo
        case .polite: self = .polite
        case .stacked: self = .stacked
        case .UNRECOGNIZED(let number): self = .unrecognized(number)
        }
    }

    @_spi(Wire) public var wire: WirePreset.Name {
        switch self {
        case .unspecified: .unspecified
        case .priority: .priority
        case .fifo: .fifo
        case .lifo: .lifo
        case .polite: .polite
        case .stacked: .stacked
        case .unrecognized(let number): .UNRECOGNIZED(number)
        }
    }
}

extension GroupPolicy {
    /// The effect of a newcomer on the active popup.
    public enum Interruption: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// The active popup closes (`PREEMPTED`).
        case stop
        /// The active popup is paused.
        case pause
        /// The newcomer waits.
        case `defer`
        /// The newcomer closes (`REJECTED`).
        case never
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [GroupPolicy.Interruption] { [.unspecified, .stop, .pause, .defer, .never] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireInterruption.Kind) {
            switch wire {
            case .unspecified: self = .unspecified
            case .stop: self = .stop
            case .pause: self = .pause
            case .defer: self = .defer
            case .never: self = .never
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireInterruption.Kind {
            switch self {
            case .unspecified: .unspecified
            case .stop: .stop
            case .pause: .pause
            case .defer: .defer
            case .never: .never
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

extension GroupPolicy {
    /// The display time of a resumed popup.
    public enum Resumption: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// A resumed popup has the display time that it had left.
        case remaining
        /// A resumed popup has its whole display time again.
        case restart
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [GroupPolicy.Resumption] { [.unspecified, .remaining, .restart] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireResumption.Kind) {
            switch wire {
            case .unspecified: self = .unspecified
            case .remaining: self = .remaining
            case .restart: self = .restart
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireResumption.Kind {
            switch self {
            case .unspecified: .unspecified
            case .remaining: .remaining
            case .restart: .restart
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

extension GroupPolicy {
    /// The time that counts as display time.
    public enum DisplayClock: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// Display time counts from activation.
        case display
        /// Display time counts while a renderer reports the popup as visible.
        case visible
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [GroupPolicy.DisplayClock] { [.unspecified, .display, .visible] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireDisplayClock.Kind) {
            switch wire {
            case .unspecified: self = .unspecified
            case .display: self = .display
            case .visible: self = .visible
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireDisplayClock.Kind {
            switch self {
            case .unspecified: .unspecified
            case .display: .display
            case .visible: .visible
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

extension GroupPolicy {
    /// The outcome of an offer that is not answered.
    public enum OfferDefault: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// The popup is shown (default).
        case show
        /// The popup closes `UNANSWERED`.
        case close
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [GroupPolicy.OfferDefault] { [.unspecified, .show, .close] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireOfferDefault.Choice) {
            switch wire {
            case .unspecified: self = .unspecified
            case .show: self = .show
            case .close: self = .close
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireOfferDefault.Choice {
            switch self {
            case .unspecified: .unspecified
            case .show: .show
            case .close: .close
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

extension GroupPolicy {
    /// The outcome if no renderer displays a popup in time.
    public enum Undisplayed: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// The popup stays (default).
        case hold
        /// The popup goes behind the others of its priority.
        case skip
        /// The popup closes `UNDISPLAYED`.
        case close
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [GroupPolicy.Undisplayed] { [.unspecified, .hold, .skip, .close] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireUndisplayed.Choice) {
            switch wire {
            case .unspecified: self = .unspecified
            case .hold: self = .hold
            case .skip: self = .skip
            case .close: self = .close
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireUndisplayed.Choice {
            switch self {
            case .unspecified: .unspecified
            case .hold: .hold
            case .skip: .skip
            case .close: .close
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

extension GroupPolicy {
    /// The outcome if the last renderer that displayed a popup disappears.
    public enum RendererLost: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// The popup stays (default).
        case hold
        /// The popup goes back into the queue.
        case requeue
        /// The popup closes `RENDERER_LOST`.
        case close
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [GroupPolicy.RendererLost] { [.unspecified, .hold, .requeue, .close] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireRendererLost.Choice) {
            switch wire {
            case .unspecified: self = .unspecified
            case .hold: self = .hold
            case .requeue: self = .requeue
            case .close: self = .close
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireRendererLost.Choice {
            switch self {
            case .unspecified: .unspecified
            case .hold: .hold
            case .requeue: .requeue
            case .close: .close
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

extension GroupPolicy {
    /// The popup that gives way when too many wait.
    public enum Overflow: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// The newcomer is refused `OVERLOAD` (default).
        case rejectNew
        /// The last popup of the queue closes (`EVICTED`).
        case dropLowest
        /// The waiting popup that was accepted first closes (`EVICTED`).
        case dropOldest
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [GroupPolicy.Overflow] { [.unspecified, .rejectNew, .dropLowest, .dropOldest] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireOverflow.Choice) {
            switch wire {
            case .unspecified: self = .unspecified
            case .rejectNew: self = .rejectNew
            case .dropLowest: self = .dropLowest
            case .dropOldest: self = .dropOldest
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireOverflow.Choice {
            switch self {
            case .unspecified: .unspecified
            case .rejectNew: .rejectNew
            case .dropLowest: .dropLowest
            case .dropOldest: .dropOldest
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

/// A cap on how often popups are shown.
public struct PopupCap: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireCap

    /// Creates a value without any field set.
    public init() { wire = WireCap() }

    @_spi(Wire) public init(wire: WireCap) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The cap key of the popups that count; empty: all popups of the group.
    public var capKey: String {
        get { wire.capKey }
        set { wire.capKey = newValue }
    }

    /// The greatest number of showings in a window, 1 to 10000.
    public var most: UInt32 {
        get { wire.most }
        set { wire.most = newValue }
    }

    /// The length of the window, at least 1. At most one cap per key and length.
    public var perMs: UInt32 {
        get { wire.perMs }
        set { wire.perMs = newValue }
    }
}

/// A time of each day in which popups are held back.
public struct QuietWindow: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireQuietWindow

    /// Creates a value without any field set.
    public init() { wire = WireQuietWindow() }

    @_spi(Wire) public init(wire: WireQuietWindow) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The time at which it begins each day: `22:00`.
    public var from: String {
        get { wire.from }
        set { wire.from = newValue }
    }

    /// The time at which it ends: `07:00`; on the next day if it is not after `from`. Differs from `from`.
    public var to: String {
        get { wire.to }
        set { wire.to = newValue }
    }

    /// The time zone of these times: a name of the time zone database, `Europe/Berlin`.
    public var timeZone: String {
        get { wire.timeZone }
        set { wire.timeZone = newValue }
    }

    /// The priority below which popups are not shown; `nil`: no popup is shown.
    public var minPriority: Int32? {
        get { wire.hasMinPriority ? wire.minPriority : nil }
        set {
            if let newValue { wire.minPriority = newValue } else { wire.clearMinPriority() }
        }
    }
}

/// A policy in force: every rule of it, and where it comes from.
public struct PolicyInForce: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WirePolicyInForce

    /// Creates a value without any field set.
    public init() { wire = WirePolicyInForce() }

    @_spi(Wire) public init(wire: WirePolicyInForce) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The origin of the policy.
    public var source: PolicyInForce.Source {
        get { PolicyInForce.Source(wire: wire.source) }
        set { wire.source = newValue.wire }
    }

    /// All rules that result from its preset and fields.
    public var policy: GroupPolicy {
        get { GroupPolicy(wire: wire.policy) }
        set { wire.policy = newValue.wire }
    }
}

extension PolicyInForce {
    /// The origin of a policy in force.
    public enum Source: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// No policy has been set.
        case `default`
        /// The configuration has this policy for the group or pattern.
        case configuration
        /// A client has set it.
        case client
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [PolicyInForce.Source] { [.unspecified, .`default`, .configuration, .client] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WirePolicySource.Name) {
            switch wire {
            case .unspecified: self = .unspecified
            case .`default`: self = .`default`
            case .configuration: self = .configuration
            case .client: self = .client
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WirePolicySource.Name {
            switch self {
            case .unspecified: .unspecified
            case .`default`: .`default`
            case .configuration: .configuration
            case .client: .client
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

/// An event in the life of a popup.
public struct PopupEvent: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireEvent

    /// Creates a value without any field set.
    public init() { wire = WireEvent() }

    @_spi(Wire) public init(wire: WireEvent) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The group.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The popup.
    public var popup: String {
        get { wire.popup }
        set { wire.popup = newValue }
    }

    /// The group's revision after it; 0 for a refusal.
    public var revision: UInt64 {
        get { wire.revision }
        set { wire.revision = newValue }
    }

    /// The time of the event in ms since 1970-01-01T00:00:00Z, by the broker's wall clock. It jumps when
    /// that clock is set; the order of events is that in which they arrive.
    public var time: UInt64 {
        get { wire.time }
        set { wire.time = newValue }
    }

    /// The path to the current page, if the policy of the group names a page tree.
    public var path: [String] {
        get { wire.path }
        set { wire.path = newValue }
    }

    /// The event.
    public enum Kind: Hashable, Sendable {
        /// Accepted and not shown at once, or back in the queue.
        case queued
        /// Offered to the renderers, not shown yet.
        case offered
        /// Active now.
        case shown(PopupEvent.Shown)
        /// Interrupted; it comes back later.
        case paused
        /// Active again.
        case resumed
        /// Changed in place.
        case updated
        /// Closed.
        case closed(PopupClosed)
        /// Not accepted.
        case refused(PopupEvent.Refused)

        init?(wire: WireEvent.OneOf_Event) {
            switch wire {
            case .queued: self = .queued
            case .offered: self = .offered
            case .shown(let value): self = .shown(PopupEvent.Shown(wire: value))
            case .paused: self = .paused
            case .resumed: self = .resumed
            case .updated: self = .updated
            case .closed(let value): self = .closed(PopupClosed(wire: value))
            case .refused(let value): self = .refused(PopupEvent.Refused(wire: value))
            }
        }

        @_spi(Wire) public var wire: WireEvent.OneOf_Event {
            switch self {
            case .queued: .queued(WireQueued())
            case .offered: .offered(WireOffered())
            case .shown(let value): .shown(value.wire)
            case .paused: .paused(WirePaused())
            case .resumed: .resumed(WireResumed())
            case .updated: .updated(WireUpdated())
            case .closed(let value): .closed(value.wire)
            case .refused(let value): .refused(value.wire)
            }
        }
    }

    /// The event; `nil`: nothing.
    public var event: Kind? {
        get { wire.event.flatMap(Kind.init(wire:)) }
        set { wire.event = newValue?.wire }
    }

    /// Active now.
    public var shown: PopupEvent.Shown? {
        get { if case .shown(let value)? = wire.event { PopupEvent.Shown(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.event = .shown(newValue.wire)
            } else if case .shown? = wire.event {
                wire.event = nil
            }
        }
    }

    /// Closed.
    public var closed: PopupClosed? {
        get { if case .closed(let value)? = wire.event { PopupClosed(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.event = .closed(newValue.wire)
            } else if case .closed? = wire.event {
                wire.event = nil
            }
        }
    }

    /// Not accepted.
    public var refused: PopupEvent.Refused? {
        get { if case .refused(let value)? = wire.event { PopupEvent.Refused(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.event = .refused(newValue.wire)
            } else if case .refused? = wire.event {
                wire.event = nil
            }
        }
    }

    /// The user whose command caused it; empty for a client without a key, and for events that time causes.
    public var by: String {
        get { wire.by }
        set { wire.by = newValue }
    }

    /// The broker's epoch.
    public var epoch: UInt64 {
        get { wire.epoch }
        set { wire.epoch = newValue }
    }
}

extension PopupEvent {
    /// The event that a popup became active.
    public struct Shown: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireShown

        /// Creates a value without any field set.
        public init() { wire = WireShown() }

        @_spi(Wire) public init(wire: WireShown) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The number of the showing: 1 for the first time.
        public var attempt: UInt32 {
            get { wire.attempt }
            set { wire.attempt = newValue }
        }
    }
}

extension PopupEvent {
    /// The event that a command was not accepted. It changed nothing.
    public struct Refused: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireRefused

        /// Creates a value without any field set.
        public init() { wire = WireRefused() }

        @_spi(Wire) public init(wire: WireRefused) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The reason.
        public var reason: RefusalReason {
            get { RefusalReason(wire: wire.reason) }
            set { wire.reason = newValue.wire }
        }

        /// A sentence for humans: what is wrong, where, and what to do.
        public var detail: String {
            get { wire.detail }
            set { wire.detail = newValue }
        }
    }
}

/// The reason of a refusal, in one word.
public enum RefusalReason: Hashable, Sendable, CaseIterable {
    /// Not set.
    case unspecified
    /// The frame cannot be decoded.
    case malformed
    /// A field has an invalid value: a group that does not match the grammar, an unknown enum value, a
    /// number out of range.
    case invalid
    /// The frame or a popup's content is over its limit.
    case tooLarge
    /// The frame has no command that the broker knows.
    case unsupported
    /// The sender's user lacks a right, or the command reaches beyond it; `detail` names the right.
    case permissionDenied
    /// A limit or quota is reached.
    case overload
    /// Contradicts an earlier command: a page that exists with another parent or value, a second root.
    case conflict
    /// Refers to a popup that has closed, has changed since, or is not offered now.
    case stale
    /// No popup has the id, or no page has the name.
    case notFound
    /// The producer used the sequence for another command before.
    case sequenceReused
    /// A value that this version does not have, by its number.
    case unrecognized(Int)

    /// All values that this version has.
    public static var allCases: [RefusalReason] { [.unspecified, .malformed, .invalid, .tooLarge, .unsupported, .permissionDenied, .overload, .conflict, .stale, .notFound, .sequenceReused] }

    /// The name of the value in the schema.
    public var name: String { wire.schemaName }

    @_spi(Wire) public init(wire: WireRefused.Reason) {
        switch wire {
        case .unspecified: self = .unspecified
        case .malformed: self = .malformed
        case .invalid: self = .invalid
        case .tooLarge: self = .tooLarge
        case .unsupported: self = .unsupported
        case .permissionDenied: self = .permissionDenied
        case .overload: self = .overload
        case .conflict: self = .conflict
        case .stale: self = .stale
        case .notFound: self = .notFound
        case .sequenceReused: self = .sequenceReused
        case .UNRECOGNIZED(let number): self = .unrecognized(number)
        }
    }

    @_spi(Wire) public var wire: WireRefused.Reason {
        switch self {
        case .unspecified: .unspecified
        case .malformed: .malformed
        case .invalid: .invalid
        case .tooLarge: .tooLarge
        case .unsupported: .unsupported
        case .permissionDenied: .permissionDenied
        case .overload: .overload
        case .conflict: .conflict
        case .stale: .stale
        case .notFound: .notFound
        case .sequenceReused: .sequenceReused
        case .unrecognized(let number): .UNRECOGNIZED(number)
        }
    }
}

/// The end of a popup: the reason and the action.
public struct PopupClosed: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireClosed

    /// Creates a value without any field set.
    public init() { wire = WireClosed() }

    @_spi(Wire) public init(wire: WireClosed) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The reason.
    public var reason: PopupClosed.Reason {
        get { PopupClosed.Reason(wire: wire.reason) }
        set { wire.reason = newValue.wire }
    }

    /// The user's action.
    public var action: String {
        get { wire.action }
        set { wire.action = newValue }
    }

    /// The time for which it was active, without pauses; at most 4294967295.
    public var displayedMs: UInt32 {
        get { wire.displayedMs }
        set { wire.displayedMs = newValue }
    }
}

extension PopupClosed {
    /// The reason for the end of a popup.
    public enum Reason: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// By a renderer or an administrator, with the action.
        case dismissed
        /// By `advance`.
        case advanced
        /// Its display time ended.
        case timedOut
        /// Not first shown within its `ttlMs`.
        case expired
        /// A newcomer stopped it.
        case preempted
        /// The policy says `NEVER`.
        case rejected
        /// An exclusive popup closed it.
        case superseded
        /// A newcomer with the same collapse key replaced it.
        case replaced
        /// By `clear`.
        case cleared
        /// Dropped from a full queue.
        case evicted
        /// A renderer vetoed the offer.
        case vetoed
        /// No renderer answered the offer.
        case unanswered
        /// Its requirement on another member of its flow failed.
        case unmet
        /// No renderer displayed it in time.
        case undisplayed
        /// The renderer that displayed it disappeared.
        case rendererLost
        /// The last page with its value closed.
        case pageClosed
        /// Its session ended.
        case sessionEnded
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [PopupClosed.Reason] { [.unspecified, .dismissed, .advanced, .timedOut, .expired, .preempted, .rejected, .superseded, .replaced, .cleared, .evicted, .vetoed, .unanswered, .unmet, .undisplayed, .rendererLost, .pageClosed, .sessionEnded] }

        /// The name of the value in the schema.
        public var name: String { wire.schemaName }

        @_spi(Wire) public init(wire: WireClosed.Reason) {
            switch wire {
            case .unspecified: self = .unspecified
            case .dismissed: self = .dismissed
            case .advanced: self = .advanced
            case .timedOut: self = .timedOut
            case .expired: self = .expired
            case .preempted: self = .preempted
            case .rejected: self = .rejected
            case .superseded: self = .superseded
            case .replaced: self = .replaced
            case .cleared: self = .cleared
            case .evicted: self = .evicted
            case .vetoed: self = .vetoed
            case .unanswered: self = .unanswered
            case .unmet: self = .unmet
            case .undisplayed: self = .undisplayed
            case .rendererLost: self = .rendererLost
            case .pageClosed: self = .pageClosed
            case .sessionEnded: self = .sessionEnded
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireClosed.Reason {
            switch self {
            case .unspecified: .unspecified
            case .dismissed: .dismissed
            case .advanced: .advanced
            case .timedOut: .timedOut
            case .expired: .expired
            case .preempted: .preempted
            case .rejected: .rejected
            case .superseded: .superseded
            case .replaced: .replaced
            case .cleared: .cleared
            case .evicted: .evicted
            case .vetoed: .vetoed
            case .unanswered: .unanswered
            case .unmet: .unmet
            case .undisplayed: .undisplayed
            case .rendererLost: .rendererLost
            case .pageClosed: .pageClosed
            case .sessionEnded: .sessionEnded
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

/// A state as the broker sent it; see `GroupState`.
public struct PublishedState: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireGroupState

    /// Creates a value without any field set.
    public init() { wire = WireGroupState() }

    @_spi(Wire) public init(wire: WireGroupState) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The number of the broker's start; it grows with every start.
    public var epoch: UInt64 {
        get { wire.epoch }
        set { wire.epoch = newValue }
    }

    /// The group.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The number of changes of this state, +1 each.
    public var revision: UInt64 {
        get { wire.revision }
        set { wire.revision = newValue }
    }

    /// The whole popup that the group shows; `nil`: none.
    public var active: Popup? {
        get { wire.hasActive ? Popup(wire: wire.active) : nil }
        set {
            if let newValue { wire.active = newValue.wire } else { wire.clearActive() }
        }
    }

    /// The number of waiting popups of the group, including delayed ones.
    public var waiting: UInt32 {
        get { wire.waiting }
        set { wire.waiting = newValue }
    }

    /// The first event of the step that led to this revision; empty in a repetition.
    public var cause: PopupCause {
        get { PopupCause(wire: wire.cause) }
        set { wire.cause = newValue.wire }
    }

    /// Whether the active popup is only offered and not shown yet.
    public var offered: Bool {
        get { wire.offered }
        set { wire.offered = newValue }
    }

    /// The number of paused popups of the group.
    public var paused: UInt32 {
        get { wire.paused }
        set { wire.paused = newValue }
    }
}

/// The cause of a state: the first event of the step that led to it.
public struct PopupCause: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireCause

    /// Creates a value without any field set.
    public init() { wire = WireCause() }

    @_spi(Wire) public init(wire: WireCause) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The event.
    public var kind: PopupCause.Kind {
        get { PopupCause.Kind(wire: wire.kind) }
        set { wire.kind = newValue.wire }
    }

    /// The popup of the event.
    public var popup: String {
        get { wire.popup }
        set { wire.popup = newValue }
    }

    /// With `CLOSED`: the reason.
    public var reason: PopupClosed.Reason {
        get { PopupClosed.Reason(wire: wire.reason) }
        set { wire.reason = newValue.wire }
    }

    /// With `CLOSED`: the user's action.
    public var action: String {
        get { wire.action }
        set { wire.action = newValue }
    }
}

extension PopupCause {
    /// The kind of the event that led to a state.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// Not set.
        case unspecified
        /// Accepted, not shown at once.
        case queued
        /// Offered to the renderers, not shown yet.
        case offered
        /// Active now.
        case shown
        /// Interrupted; it comes back later.
        case paused
        /// Active again.
        case resumed
        /// Changed in place.
        case updated
        /// Closed.
        case closed
        /// A value that this version does not have, by its number.
        case unrecognized(Int)

        /// All values that this version has.
        public static var allCases: [PopupCause.Kind] { [.unspecified, .queued, .offered, .shown, .paused, .resumed, .updated, .closed] }

        /// The name of the value in the schema, in lower case.
        public var name: String { wire.schemaName.lowercased() }

        @_spi(Wire) public init(wire: WireCause.Kind) {
            switch wire {
            case .unspecified: self = .unspecified
            case .queued: self = .queued
            case .offered: self = .offered
            case .shown: self = .shown
            case .paused: self = .paused
            case .resumed: self = .resumed
            case .updated: self = .updated
            case .closed: self = .closed
            case .UNRECOGNIZED(let number): self = .unrecognized(number)
            }
        }

        @_spi(Wire) public var wire: WireCause.Kind {
            switch self {
            case .unspecified: .unspecified
            case .queued: .queued
            case .offered: .offered
            case .shown: .shown
            case .paused: .paused
            case .resumed: .resumed
            case .updated: .updated
            case .closed: .closed
            case .unrecognized(let number): .UNRECOGNIZED(number)
            }
        }
    }
}

/// The phase in the life of a popup.
public enum PopupPhase: Hashable, Sendable, CaseIterable {
    /// The id is not known, or was forgotten.
    case unknown
    /// Accepted, not arrived yet.
    case delayed
    /// Accepted, not shown yet.
    case waiting
    /// Offered to the renderers, not shown yet.
    case offered
    /// On the screen.
    case active
    /// Interrupted.
    case paused
    /// Closed.
    case closed
    /// A value that this version does not have, by its number.
    case unrecognized(Int)

    /// All values that this version has.
    public static var allCases: [PopupPhase] { [.unknown, .delayed, .waiting, .offered, .active, .paused, .closed] }

    /// The name of the value in the schema, in lower case.
    public var name: String { wire.schemaName.lowercased() }

    @_spi(Wire) public init(wire: WirePhase.Name) {
        switch wire {
        case .unknown: self = .unknown
        case .delayed: self = .delayed
        case .waiting: self = .waiting
        case .offered: self = .offered
        case .active: self = .active
        case .paused: self = .paused
        case .closed: self = .closed
        case .UNRECOGNIZED(let number): self = .unrecognized(number)
        }
    }

    @_spi(Wire) public var wire: WirePhase.Name {
        switch self {
        case .unknown: .unknown
        case .delayed: .delayed
        case .waiting: .waiting
        case .offered: .offered
        case .active: .active
        case .paused: .paused
        case .closed: .closed
        case .unrecognized(let number): .UNRECOGNIZED(number)
        }
    }
}

/// One popup in the reply to a query.
public struct PopupSummary: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WirePopupSummary

    /// Creates a value without any field set.
    public init() { wire = WirePopupSummary() }

    @_spi(Wire) public init(wire: WirePopupSummary) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The popup.
    public var id: String {
        get { wire.id }
        set { wire.id = newValue }
    }

    /// Its group.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// Its own priority, without aging or `ignorePriority`.
    public var priority: Int32 {
        get { wire.priority }
        set { wire.priority = newValue }
    }

    /// Its phase.
    public var phase: PopupPhase {
        get { PopupPhase(wire: wire.phase) }
        set { wire.phase = newValue.wire }
    }

    /// Its surface.
    public var surface: String {
        get { wire.surface }
        set { wire.surface = newValue }
    }

    /// Its collapse key.
    public var collapseKey: String {
        get { wire.collapseKey }
        set { wire.collapseKey = newValue }
    }

    /// The producer that requested it.
    public var producer: String {
        get { wire.producer }
        set { wire.producer = newValue }
    }

    /// The number of times it has been shown.
    public var attempt: UInt32 {
        get { wire.attempt }
        set { wire.attempt = newValue }
    }

    /// With `ACTIVE` and `PAUSED`: the display time left; `nil` if it stays until it is dismissed.
    public var remainingMs: UInt32? {
        get { wire.hasRemainingMs ? wire.remainingMs : nil }
        set {
            if let newValue { wire.remainingMs = newValue } else { wire.clearRemainingMs() }
        }
    }

    /// With `DELAYED`: the time until it arrives.
    public var delayMs: UInt32 {
        get { wire.delayMs }
        set { wire.delayMs = newValue }
    }

    /// The user that requested it; empty for a client without a key.
    public var by: String {
        get { wire.by }
        set { wire.by = newValue }
    }

    /// Its title, shortened to 120 bytes.
    public var title: String {
        get { wire.title }
        set { wire.title = newValue }
    }

    /// The beginning of its text, of at most 120 bytes.
    public var excerpt: String {
        get { wire.excerpt }
        set { wire.excerpt = newValue }
    }

    /// The time until it closes (`EXPIRED`) if it is not shown before; `nil` if it does not, or was shown
    /// already.
    public var expiresMs: UInt32? {
        get { wire.hasExpiresMs ? wire.expiresMs : nil }
        set {
            if let newValue { wire.expiresMs = newValue } else { wire.clearExpiresMs() }
        }
    }
}

/// The popups that a selector selects, and whether there are more.
public struct PopupList: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireListResult

    /// Creates a value without any field set.
    public init() { wire = WireListResult() }

    @_spi(Wire) public init(wire: WireListResult) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The popups: groups in byte order; in each the active popup, the queue, then the delayed popups.
    public var popups: [PopupSummary] {
        get { wire.popups.map(PopupSummary.init(wire:)) }
        set { wire.popups = newValue.map(\.wire) }
    }

    /// Whether there were more than a reply can contain.
    public var truncated: Bool {
        get { wire.truncated }
        set { wire.truncated = newValue }
    }
}

/// The popups of a group in order, the active one first, and whether there are more.
public struct GroupQueue: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WirePeekResult

    /// Creates a value without any field set.
    public init() { wire = WirePeekResult() }

    @_spi(Wire) public init(wire: WirePeekResult) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The active popup, then the queue in its order, then the delayed popups in the order of their arrival.
    public var popups: [PopupSummary] {
        get { wire.popups.map(PopupSummary.init(wire:)) }
        set { wire.popups = newValue.map(\.wire) }
    }

    /// Whether there were more than a reply can contain.
    public var truncated: Bool {
        get { wire.truncated }
        set { wire.truncated = newValue }
    }
}

/// The path from the root of a tree of pages to a page.
public struct PagePath: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WirePathResult

    /// Creates a value without any field set.
    public init() { wire = WirePathResult() }

    @_spi(Wire) public init(wire: WirePathResult) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The values from the root on.
    public var values: [String] {
        get { wire.values }
        set { wire.values = newValue }
    }

    /// The values, joined with the separator.
    public var joined: String {
        get { wire.joined }
        set { wire.joined = newValue }
    }
}

/// The phase of a popup and the rules that hold it back.
public struct PopupExplanation: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireExplainResult

    /// Creates a value without any field set.
    public init() { wire = WireExplainResult() }

    @_spi(Wire) public init(wire: WireExplainResult) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The popup.
    public var id: String {
        get { wire.id }
        set { wire.id = newValue }
    }

    /// Its phase.
    public var phase: PopupPhase {
        get { PopupPhase(wire: wire.phase) }
        set { wire.phase = newValue.wire }
    }

    /// The rule that keeps it there, by its name in the protocol: `gap`.
    public var rule: String {
        get { wire.rule }
        set { wire.rule = newValue }
    }

    /// The popups or suspension tokens that hold it back.
    public var blockers: [String] {
        get { wire.blockers }
        set { wire.blockers = newValue }
    }

    /// The same in a sentence.
    public var text: String {
        get { wire.text }
        set { wire.text = newValue }
    }

    /// With `CLOSED`: the reason, the action and the display time.
    public var closed: PopupClosed? {
        get { wire.hasClosed ? PopupClosed(wire: wire.closed) : nil }
        set {
            if let newValue { wire.closed = newValue.wire } else { wire.clearClosed() }
        }
    }

    /// Its group.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// With `CLOSED`: the popup that closed it, or the member whose end made its requirement fail, if there
    /// is one.
    public var by: String {
        get { wire.by }
        set { wire.by = newValue }
    }

    /// With `CLOSED`: the time of its end, in ms since 1970-01-01T00:00:00Z by the broker's wall clock as it
    /// is set now.
    public var closedAt: UInt64 {
        get { wire.closedAt }
        set { wire.closedAt = newValue }
    }

    /// The time until the rule may end without a command; `nil` if no time is set for that.
    public var remainingMs: UInt32? {
        get { wire.hasRemainingMs ? wire.remainingMs : nil }
        set {
            if let newValue { wire.remainingMs = newValue } else { wire.clearRemainingMs() }
        }
    }

    /// With the rule `queue`: the number of popups of the queue that are ahead of it.
    public var ahead: UInt32 {
        get { wire.ahead }
        set { wire.ahead = newValue }
    }

    /// With the rule `requirement`: the member that has to close first, and how.
    public var requirement: PopupRequirement? {
        get { wire.hasRequirement ? PopupRequirement(wire: wire.requirement) : nil }
        set {
            if let newValue { wire.requirement = newValue.wire } else { wire.clearRequirement() }
        }
    }

    /// With the rule `cap`: the cap that is exhausted.
    public var cap: PopupCap? {
        get { wire.hasCap ? PopupCap(wire: wire.cap) : nil }
        set {
            if let newValue { wire.cap = newValue.wire } else { wire.clearCap() }
        }
    }

    /// With the rule `page`: the page on which it may be shown.
    public var page: PageBinding? {
        get { wire.hasPage ? PageBinding(wire: wire.page) : nil }
        set {
            if let newValue { wire.page = newValue.wire } else { wire.clearPage() }
        }
    }

    /// With the rule `session`: the session in which it may be shown.
    public var session: String {
        get { wire.session }
        set { wire.session = newValue }
    }

    /// All rules that hold the popup back now, the decisive one first; empty if it is active, closed or
    /// unknown.
    public var rules: [HoldingRule] {
        get { wire.rules.map(HoldingRule.init(wire:)) }
        set { wire.rules = newValue.map(\.wire) }
    }

    /// The user that requested it, while it is live; empty for a client without a key.
    public var user: String {
        get { wire.user }
        set { wire.user = newValue }
    }

    /// While it is live: its title, as in `PopupSummary`.
    public var title: String {
        get { wire.title }
        set { wire.title = newValue }
    }

    /// While it is live: the beginning of its text, as in `PopupSummary`.
    public var excerpt: String {
        get { wire.excerpt }
        set { wire.excerpt = newValue }
    }

    /// While it is live: the time until it expires, as in `PopupSummary`.
    public var expiresMs: UInt32? {
        get { wire.hasExpiresMs ? wire.expiresMs : nil }
        set {
            if let newValue { wire.expiresMs = newValue } else { wire.clearExpiresMs() }
        }
    }
}

/// A rule that holds a popup back, with its fields.
public struct HoldingRule: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireHoldingRule

    /// Creates a value without any field set.
    public init() { wire = WireHoldingRule() }

    @_spi(Wire) public init(wire: WireHoldingRule) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The rule, by its name in the protocol: `gap`.
    public var rule: String {
        get { wire.rule }
        set { wire.rule = newValue }
    }

    /// The popups or suspension tokens that hold it back.
    public var blockers: [String] {
        get { wire.blockers }
        set { wire.blockers = newValue }
    }

    /// The same in a sentence.
    public var text: String {
        get { wire.text }
        set { wire.text = newValue }
    }

    /// The time until the rule may end without a command; `nil` if no time is set for that.
    public var remainingMs: UInt32? {
        get { wire.hasRemainingMs ? wire.remainingMs : nil }
        set {
            if let newValue { wire.remainingMs = newValue } else { wire.clearRemainingMs() }
        }
    }

    /// With the rule `queue`: the number of popups of the queue that are ahead of it.
    public var ahead: UInt32 {
        get { wire.ahead }
        set { wire.ahead = newValue }
    }

    /// With the rule `requirement`: the member that has to close first, and how.
    public var requirement: PopupRequirement? {
        get { wire.hasRequirement ? PopupRequirement(wire: wire.requirement) : nil }
        set {
            if let newValue { wire.requirement = newValue.wire } else { wire.clearRequirement() }
        }
    }

    /// With the rule `cap`: the cap that is exhausted.
    public var cap: PopupCap? {
        get { wire.hasCap ? PopupCap(wire: wire.cap) : nil }
        set {
            if let newValue { wire.cap = newValue.wire } else { wire.clearCap() }
        }
    }

    /// With the rule `page`: the page on which it may be shown.
    public var page: PageBinding? {
        get { wire.hasPage ? PageBinding(wire: wire.page) : nil }
        set {
            if let newValue { wire.page = newValue.wire } else { wire.clearPage() }
        }
    }

    /// With the rule `session`: the session in which it may be shown.
    public var session: String {
        get { wire.session }
        set { wire.session = newValue }
    }
}

/// The identity of a client to the broker, and its rights.
public struct BrokerIdentity: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireWhoamiResult

    /// Creates a value without any field set.
    public init() { wire = WireWhoamiResult() }

    @_spi(Wire) public init(wire: WireWhoamiResult) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The user; empty for a client without a key.
    public var user: String {
        get { wire.user }
        set { wire.user = newValue }
    }

    /// Whether it may do everything.
    public var unrestricted: Bool {
        get { wire.unrestricted }
        set { wire.unrestricted = newValue }
    }

    /// The grants of its roles, in their order; empty at a broker without users.
    public var grants: [BrokerIdentity.Grant] {
        get { wire.grants.map(BrokerIdentity.Grant.init(wire:)) }
        set { wire.grants = newValue.map(\.wire) }
    }

    /// Its last denied subscriptions, at most 16, of all its connections.
    public var denied: [BrokerIdentity.DeniedSubscription] {
        get { wire.denied.map(BrokerIdentity.DeniedSubscription.init(wire:)) }
        set { wire.denied = newValue.map(\.wire) }
    }
}

extension BrokerIdentity {
    /// Rights in some groups, with their limits.
    public struct Grant: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireAccessGrant

        /// Creates a value without any field set.
        public init() { wire = WireAccessGrant() }

        @_spi(Wire) public init(wire: WireAccessGrant) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// Groups and patterns.
        public var groups: [String] {
            get { wire.groups }
            set { wire.groups = newValue }
        }

        /// Some of `show`, `update`, `dismiss`, `watch`, `events`, `render`, `query`, `control`.
        public var rights: [String] {
            get { wire.rights }
            set { wire.rights = newValue }
        }

        /// The highest priority that `show` and `update` may set; `nil`: any.
        public var maxPriority: Int32? {
            get { wire.hasMaxPriority ? wire.maxPriority : nil }
            set {
                if let newValue { wire.maxPriority = newValue } else { wire.clearMaxPriority() }
            }
        }

        /// The reach that the `exclusive` of a popup may have.
        public var exclusive: Popup.Exclusive {
            get { Popup.Exclusive(wire: wire.exclusive) }
            set { wire.exclusive = newValue.wire }
        }

        /// Whether `update`, `dismiss` and `clear` are limited to popups that the user requested.
        public var own: Bool {
            get { wire.own }
            set { wire.own = newValue }
        }
    }
}

extension BrokerIdentity {
    /// A subscription that was denied, and delivers nothing.
    public struct DeniedSubscription: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireDeniedSubscription

        /// Creates a value without any field set.
        public init() { wire = WireDeniedSubscription() }

        @_spi(Wire) public init(wire: WireDeniedSubscription) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The subscription, of which at most 256 characters are kept.
        public var prefix: String {
            get { wire.prefix }
            set { wire.prefix = newValue }
        }

        /// The missing right, as a sentence for humans.
        public var detail: String {
            get { wire.detail }
            set { wire.detail = newValue }
        }
    }
}

/// The popups that closed last.
public struct PopupHistory: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireHistoryResult

    /// Creates a value without any field set.
    public init() { wire = WireHistoryResult() }

    @_spi(Wire) public init(wire: WireHistoryResult) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The popups, the latest first; at most `limits.queryResults`.
    public var popups: [ClosedPopup] {
        get { wire.popups.map(ClosedPopup.init(wire:)) }
        set { wire.popups = newValue.map(\.wire) }
    }

    /// Whether there may be more.
    public var truncated: Bool {
        get { wire.truncated }
        set { wire.truncated = newValue }
    }
}

/// A popup that has closed: its group, the reason, the action and the time.
public struct ClosedPopup: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireClosedPopup

    /// Creates a value without any field set.
    public init() { wire = WireClosedPopup() }

    @_spi(Wire) public init(wire: WireClosedPopup) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The id.
    public var id: String {
        get { wire.id }
        set { wire.id = newValue }
    }

    /// The group.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The time at which it closed, as in events, in ms since 1970.
    public var time: UInt64 {
        get { wire.time }
        set { wire.time = newValue }
    }

    /// The reason, the action, and the time for which it was shown.
    public var closed: PopupClosed {
        get { PopupClosed(wire: wire.closed) }
        set { wire.closed = newValue.wire }
    }

    /// The popup because of which it closed: the one that replaced or superseded it, or that it required.
    public var cause: String {
        get { wire.cause }
        set { wire.cause = newValue }
    }

    /// The title, shortened to 120 bytes.
    public var title: String {
        get { wire.title }
        set { wire.title = newValue }
    }

    /// The beginning of the text, at most 120 bytes.
    public var excerpt: String {
        get { wire.excerpt }
        set { wire.excerpt = newValue }
    }

    /// The user that requested it; empty for a client without a key.
    public var by: String {
        get { wire.by }
        set { wire.by = newValue }
    }
}

/// A group and how many popups it has.
public struct GroupCounts: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireGroupCounts

    /// Creates a value without any field set.
    public init() { wire = WireGroupCounts() }

    @_spi(Wire) public init(wire: WireGroupCounts) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The name.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The revision, as in a state of the group.
    public var revision: UInt64 {
        get { wire.revision }
        set { wire.revision = newValue }
    }

    /// The popup that has the slot; empty: none.
    public var active: String {
        get { wire.active }
        set { wire.active = newValue }
    }

    /// Whether this popup is offered, and not shown yet.
    public var offered: Bool {
        get { wire.offered }
        set { wire.offered = newValue }
    }

    /// The number of waiting popups, delayed ones included.
    public var waiting: UInt32 {
        get { wire.waiting }
        set { wire.waiting = newValue }
    }

    /// The number of paused popups.
    public var paused: UInt32 {
        get { wire.paused }
        set { wire.paused = newValue }
    }

    /// The number of delayed popups.
    public var delayed: UInt32 {
        get { wire.delayed }
        set { wire.delayed = newValue }
    }

    /// The session; empty: none.
    public var session: String {
        get { wire.session }
        set { wire.session = newValue }
    }
}

/// A suspension in force.
public struct PopupSuspension: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireSuspension

    /// Creates a value without any field set.
    public init() { wire = WireSuspension() }

    @_spi(Wire) public init(wire: WireSuspension) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The token.
    public var token: String {
        get { wire.token }
        set { wire.token = newValue }
    }

    /// The group or pattern.
    public var group: String {
        get { wire.group }
        set { wire.group = newValue }
    }

    /// The priority below which popups are held back; `nil`: all popups are.
    public var minPriority: Int32? {
        get { wire.hasMinPriority ? wire.minPriority : nil }
        set {
            if let newValue { wire.minPriority = newValue } else { wire.clearMinPriority() }
        }
    }

    /// The time at which it was set, as in events, in ms since 1970; 0 if an earlier version has set it.
    public var since: UInt64 {
        get { wire.since }
        set { wire.since = newValue }
    }

    /// The user that set it; empty for a client without a key.
    public var by: String {
        get { wire.by }
        set { wire.by = newValue }
    }
}

/// A renderer with a lease: its groups, and what it displays.
public struct RendererSummary: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireRenderer

    /// Creates a value without any field set.
    public init() { wire = WireRenderer() }

    @_spi(Wire) public init(wire: WireRenderer) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The client.
    public var client: String {
        get { wire.client }
        set { wire.client = newValue }
    }

    /// The groups and patterns of its lease that the query is about; at most 100.
    public var groups: [String] {
        get { wire.groups }
        set { wire.groups = newValue }
    }

    /// The popups in these groups that it displays, as it reported, the latest first; at most 100, of the
    /// last 1000 popups that it reported on.
    public var displays: [RendererSummary.DisplayedPopup] {
        get { wire.displays.map(RendererSummary.DisplayedPopup.init(wire:)) }
        set { wire.displays = newValue.map(\.wire) }
    }

    /// The time since its last renewal. At 5000 its lease ends.
    public var silentMs: UInt32 {
        get { wire.silentMs }
        set { wire.silentMs = newValue }
    }
}

extension RendererSummary {
    /// A popup that a renderer displays.
    public struct DisplayedPopup: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireDisplayedPopup

        /// Creates a value without any field set.
        public init() { wire = WireDisplayedPopup() }

        @_spi(Wire) public init(wire: WireDisplayedPopup) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The id.
        public var id: String {
            get { wire.id }
            set { wire.id = newValue }
        }

        /// The group.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }

        /// Whether the renderer reports that users can see it.
        public var visible: Bool {
            get { wire.visible }
            set { wire.visible = newValue }
        }
    }
}

/// A producer whose sequences the broker remembers.
public struct ProducerSequences: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireProducerSequences

    /// Creates a value without any field set.
    public init() { wire = WireProducerSequences() }

    @_spi(Wire) public init(wire: WireProducerSequences) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The id.
    public var producer: String {
        get { wire.producer }
        set { wire.producer = newValue }
    }

    /// All sequences up to this one are settled.
    public var cumulative: UInt64 {
        get { wire.cumulative }
        set { wire.cumulative = newValue }
    }

    /// The highest settled sequence.
    public var highest: UInt64 {
        get { wire.highest }
        set { wire.highest = newValue }
    }

    /// The number of its live popups.
    public var popups: UInt32 {
        get { wire.popups }
        set { wire.popups = newValue }
    }

    /// The time since one of its sequences was settled.
    public var silentMs: UInt64 {
        get { wire.silentMs }
        set { wire.silentMs = newValue }
    }

    /// The user that owns its id; empty for a client without a key.
    public var by: String {
        get { wire.by }
        set { wire.by = newValue }
    }
}

/// The counters of the broker.
public struct BrokerStatistics: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireStatsResult

    /// Creates a value without any field set.
    public init() { wire = WireStatsResult() }

    @_spi(Wire) public init(wire: WireStatsResult) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The broker's epoch.
    public var epoch: UInt64 {
        get { wire.epoch }
        set { wire.epoch = newValue }
    }

    /// The protocol's version: 1.
    public var `protocol`: UInt32 {
        get { wire.`protocol` }
        set { wire.`protocol` = newValue }
    }

    /// The broker's version.
    public var version: String {
        get { wire.version }
        set { wire.version = newValue }
    }

    /// The time since its start.
    public var uptimeMs: UInt64 {
        get { wire.uptimeMs }
        set { wire.uptimeMs = newValue }
    }

    /// The number of known groups.
    public var groups: UInt64 {
        get { wire.groups }
        set { wire.groups = newValue }
    }

    /// The number of live popups.
    public var popups: UInt64 {
        get { wire.popups }
        set { wire.popups = newValue }
    }

    /// The number of remembered ids of closed popups.
    public var remembered: UInt64 {
        get { wire.remembered }
        set { wire.remembered = newValue }
    }

    /// The number of commands committed since its start.
    public var commands: UInt64 {
        get { wire.commands }
        set { wire.commands = newValue }
    }

    /// The number of commands and frames refused since its start.
    public var refused: UInt64 {
        get { wire.refused }
        set { wire.refused = newValue }
    }

    /// The number of events since its start.
    public var events: UInt64 {
        get { wire.events }
        set { wire.events = newValue }
    }

    /// The number of commits since its start.
    public var batches: UInt64 {
        get { wire.batches }
        set { wire.batches = newValue }
    }

    /// The number of current subscriptions.
    public var subscriptions: UInt64 {
        get { wire.subscriptions }
        set { wire.subscriptions = newValue }
    }

    /// The number of producers whose sequences are remembered.
    public var producers: UInt64 {
        get { wire.producers }
        set { wire.producers = newValue }
    }

    /// The number of commands that repeated a settled sequence.
    public var repetitions: UInt64 {
        get { wire.repetitions }
        set { wire.repetitions = newValue }
    }

    /// The number of different commands with a sequence that was settled already.
    public var sequencesReused: UInt64 {
        get { wire.sequencesReused }
        set { wire.sequencesReused = newValue }
    }

    /// The number of connections that the broker closed because of their messages, since its start.
    public var connectionsCut: UInt64 {
        get { wire.connectionsCut }
        set { wire.connectionsCut = newValue }
    }

    /// The time for which closed popups are remembered: all that closed within it; less than
    /// `deduplication.windowMs` while there are more ids than `deduplication.maxIDs`.
    public var rememberedWindowMs: UInt64 {
        get { wire.rememberedWindowMs }
        set { wire.rememberedWindowMs = newValue }
    }

    /// The durations of turns of the event loop since its start; during a turn no other client is served.
    public var turns: BrokerStatistics.TurnTimes {
        get { BrokerStatistics.TurnTimes(wire: wire.turns) }
        set { wire.turns = newValue.wire }
    }

    /// The number of reports dropped since its start, because their popup was not active, or not any more.
    public var lateReports: UInt64 {
        get { wire.lateReports }
        set { wire.lateReports = newValue }
    }

    /// The number of damaged and missing parts of the journal that the start found; each is in the log, with
    /// severity critical.
    public var journalFindings: UInt64 {
        get { wire.journalFindings }
        set { wire.journalFindings = newValue }
    }

    /// The denials of users since its start. At most 1024 pairs of user and right are counted; the last
    /// entry, without user and right, counts all others.
    public var denied: [BrokerStatistics.DeniedCount] {
        get { wire.denied.map(BrokerStatistics.DeniedCount.init(wire:)) }
        set { wire.denied = newValue.map(\.wire) }
    }

    /// The number of waiting popups, delayed ones included.
    public var waiting: UInt64 {
        get { wire.waiting }
        set { wire.waiting = newValue }
    }

    /// The number of paused popups.
    public var paused: UInt64 {
        get { wire.paused }
        set { wire.paused = newValue }
    }

    /// The number of known renderers.
    public var renderers: UInt64 {
        get { wire.renderers }
        set { wire.renderers = newValue }
    }

    /// `commands` by kind: every kind but queries.
    public var commandsByKind: [BrokerStatistics.CommandCount] {
        get { wire.commandsByKind.map(BrokerStatistics.CommandCount.init(wire:)) }
        set { wire.commandsByKind = newValue.map(\.wire) }
    }

    /// `events` by kind: every kind.
    public var eventsByKind: [BrokerStatistics.EventCount] {
        get { wire.eventsByKind.map(BrokerStatistics.EventCount.init(wire:)) }
        set { wire.eventsByKind = newValue.map(\.wire) }
    }

    /// Popups closed since its start, by reason: every reason.
    public var closed: [BrokerStatistics.ClosedCount] {
        get { wire.closed.map(BrokerStatistics.ClosedCount.init(wire:)) }
        set { wire.closed = newValue.map(\.wire) }
    }

    /// `refused` by reason: every reason.
    public var refusedByReason: [BrokerStatistics.RefusedCount] {
        get { wire.refusedByReason.map(BrokerStatistics.RefusedCount.init(wire:)) }
        set { wire.refusedByReason = newValue.map(\.wire) }
    }

    /// The durations of commits since its start; empty for a journal in memory.
    public var commitTimes: BrokerStatistics.Histogram {
        get { BrokerStatistics.Histogram(wire: wire.commitTimes) }
        set { wire.commitTimes = newValue.wire }
    }

    /// The times from the arrival of popups to their first showing, for those shown since its start.
    public var waitingTimes: BrokerStatistics.Histogram {
        get { BrokerStatistics.Histogram(wire: wire.waitingTimes) }
        set { wire.waitingTimes = newValue.wire }
    }

    /// The delays with which due timers were handled since its start: of those that were due together, the
    /// first.
    public var timerLateness: BrokerStatistics.Histogram {
        get { BrokerStatistics.Histogram(wire: wire.timerLateness) }
        set { wire.timerLateness = newValue.wire }
    }

    /// The use of every limit that bounds a table of the whole broker, waiting calls, and answers to
    /// `sync/…` that are sent or wait; on sockets also of connections, of the socket that has more, and of
    /// memory.
    public var limits: [BrokerStatistics.LimitUse] {
        get { wire.limits.map(BrokerStatistics.LimitUse.init(wire:)) }
        set { wire.limits = newValue.map(\.wire) }
    }

    /// The size of the journal's files, looked up after commits and queries, at most once per second; `nil`
    /// for a journal in memory.
    public var journalBytes: UInt64? {
        get { wire.hasJournalBytes ? wire.journalBytes : nil }
        set {
            if let newValue { wire.journalBytes = newValue } else { wire.clearJournalBytes() }
        }
    }

    /// The number of snapshots made since its start.
    public var snapshots: UInt64 {
        get { wire.snapshots }
        set { wire.snapshots = newValue }
    }

    /// The time at which the last snapshot began, in ms since 1970-01-01T00:00:00Z; `nil` before the first
    /// one.
    public var lastSnapshotAt: UInt64? {
        get { wire.hasLastSnapshotAt ? wire.lastSnapshotAt : nil }
        set {
            if let newValue { wire.lastSnapshotAt = newValue } else { wire.clearLastSnapshotAt() }
        }
    }

    /// The part of `connectionsCut` that was closed because memory was exhausted and the client did not
    /// read.
    public var slowSubscribers: UInt64 {
        get { wire.slowSubscribers }
        set { wire.slowSubscribers = newValue }
    }
}

extension BrokerStatistics {
    /// The durations of turns in µs. Quantiles are exact within an eighth.
    public struct TurnTimes: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireTurnTimes

        /// Creates a value without any field set.
        public init() { wire = WireTurnTimes() }

        @_spi(Wire) public init(wire: WireTurnTimes) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The number of turns.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }

        /// The time that half of the turns did not exceed, in µs; exact within an eighth.
        public var medianUs: UInt64 {
            get { wire.medianUs }
            set { wire.medianUs = newValue }
        }

        /// The time that 99 of 100 turns did not exceed, in µs; exact within an eighth.
        public var p99Us: UInt64 {
            get { wire.p99Us }
            set { wire.p99Us = newValue }
        }

        /// The longest turn, in µs.
        public var longestUs: UInt64 {
            get { wire.longestUs }
            set { wire.longestUs = newValue }
        }

        /// The number of turns that took longer than 20 ms.
        public var long: UInt64 {
            get { wire.long }
            set { wire.long = newValue }
        }

        /// The turns by duration, as in `Histogram`.
        public var buckets: [BrokerStatistics.HistogramBucket] {
            get { wire.buckets.map(BrokerStatistics.HistogramBucket.init(wire:)) }
            set { wire.buckets = newValue.map(\.wire) }
        }

        /// The sum of all durations in µs.
        public var sumUs: UInt64 {
            get { wire.sumUs }
            set { wire.sumUs = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The number of denials of a user for one missing right.
    public struct DeniedCount: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireDeniedCount

        /// Creates a value without any field set.
        public init() { wire = WireDeniedCount() }

        @_spi(Wire) public init(wire: WireDeniedCount) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The user; empty for clients without a key.
        public var user: String {
            get { wire.user }
            set { wire.user = newValue }
        }

        /// The right that was missing; empty for the use of another user's name.
        public var right: String {
            get { wire.right }
            set { wire.right = newValue }
        }

        /// The number of denials.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The number of committed commands of one kind.
    public struct CommandCount: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireCommandCount

        /// Creates a value without any field set.
        public init() { wire = WireCommandCount() }

        @_spi(Wire) public init(wire: WireCommandCount) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The kind: `show`.
        public var kind: String {
            get { wire.kind }
            set { wire.kind = newValue }
        }

        /// The number of committed commands since the start.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The number of events of one kind.
    public struct EventCount: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireEventCount

        /// Creates a value without any field set.
        public init() { wire = WireEventCount() }

        @_spi(Wire) public init(wire: WireEventCount) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The kind: `closed`.
        public var kind: String {
            get { wire.kind }
            set { wire.kind = newValue }
        }

        /// The number of events since the start.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The number of popups that closed for one reason.
    public struct ClosedCount: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireClosedCount

        /// Creates a value without any field set.
        public init() { wire = WireClosedCount() }

        @_spi(Wire) public init(wire: WireClosedCount) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The reason.
        public var reason: PopupClosed.Reason {
            get { PopupClosed.Reason(wire: wire.reason) }
            set { wire.reason = newValue.wire }
        }

        /// The number of popups that closed for this reason since the start.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The number of commands and frames that were refused for one reason.
    public struct RefusedCount: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireRefusedCount

        /// Creates a value without any field set.
        public init() { wire = WireRefusedCount() }

        @_spi(Wire) public init(wire: WireRefusedCount) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The reason.
        public var reason: RefusalReason {
            get { RefusalReason(wire: wire.reason) }
            set { wire.reason = newValue.wire }
        }

        /// The number of commands and frames refused for this reason since the start.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The durations since the start, by size.
    public struct Histogram: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireHistogram

        /// Creates a value without any field set.
        public init() { wire = WireHistogram() }

        @_spi(Wire) public init(wire: WireHistogram) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The buckets in the order of size; a duration is counted in the first one that it fits.
        public var buckets: [BrokerStatistics.HistogramBucket] {
            get { wire.buckets.map(BrokerStatistics.HistogramBucket.init(wire:)) }
            set { wire.buckets = newValue.map(\.wire) }
        }

        /// The number of durations.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }

        /// The sum of all durations in µs.
        public var sumUs: UInt64 {
            get { wire.sumUs }
            set { wire.sumUs = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The durations of one size.
    public struct HistogramBucket: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireHistogramBucket

        /// Creates a value without any field set.
        public init() { wire = WireHistogramBucket() }

        @_spi(Wire) public init(wire: WireHistogramBucket) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The longest duration of the bucket in µs; `nil`: any.
        public var upToUs: UInt64? {
            get { wire.hasUpToUs ? wire.upToUs : nil }
            set {
                if let newValue { wire.upToUs = newValue } else { wire.clearUpToUs() }
            }
        }

        /// The number of durations in this bucket alone.
        public var count: UInt64 {
            get { wire.count }
            set { wire.count = newValue }
        }
    }
}

extension BrokerStatistics {
    /// The use of a limit.
    public struct LimitUse: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireLimitUse

        /// Creates a value without any field set.
        public init() { wire = WireLimitUse() }

        @_spi(Wire) public init(wire: WireLimitUse) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The key of the limit in the configuration, such as `limits.groups`.
        public var limit: String {
            get { wire.limit }
            set { wire.limit = newValue }
        }

        /// The number of entries of the table that count towards the limit.
        public var used: UInt64 {
            get { wire.used }
            set { wire.used = newValue }
        }

        /// The limit.
        public var most: UInt64 {
            get { wire.most }
            set { wire.most = newValue }
        }
    }
}

/// A command, for connections that send any of them.
public struct PopupCommand: Hashable, Sendable, CustomStringConvertible {
    @_spi(Wire) public var wire: WireCommand

    /// Creates a value without any field set.
    public init() { wire = WireCommand() }

    @_spi(Wire) public init(wire: WireCommand) { self.wire = wire }

    /// The value as the JSON of the protocol.
    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

    /// The id of the sender for this run: 32 hexadecimal digits. A connection has its own, and sends a
    /// command with another one as it is, without an acknowledgement; empty: that of the connection.
    public var producer: String {
        get { wire.producer }
        set { wire.producer = newValue }
    }

    /// The number of the command within its producer; 0: that of the connection.
    public var sequence: UInt64 {
        get { wire.sequence }
        set { wire.sequence = newValue }
    }

    /// The command itself.
    public enum Kind: Hashable, Sendable {
        /// A request for a popup.
        case show(Popup)
        /// A change of a live popup in place.
        case update(PopupUpdate)
        /// The dismissal of a popup by the user or an administrator.
        case dismiss(PopupCommand.Dismiss)
        /// The end of the popup that the group shows; the next one follows.
        case advance(PopupCommand.Advance)
        /// The end of all selected popups.
        case clear(PopupCommand.Clear)
        /// A suspension, which holds popups back until its token is released.
        case suspend(PopupCommand.Suspend)
        /// The release of a suspension token.
        case resume(PopupCommand.Resume)
        /// A policy for a group or pattern, which replaces the earlier one.
        case setPolicy(GroupPolicy)
        /// A change of a group's session.
        case setSession(PopupCommand.SetSession)
        /// A report of a renderer about a popup.
        case report(PopupCommand.Report)
        /// The answer of a renderer to an offer.
        case answer(PopupCommand.Answer)
        /// A lease: the renderer is alive and shows these groups.
        case lease(PopupCommand.Lease)
        /// A change of a tree of pages.
        case page(PopupCommand.Page)
        /// The removal of the policy of a group or pattern.
        case unsetPolicy(PopupCommand.UnsetPolicy)

        init?(wire: WireCommand.OneOf_Command) {
            switch wire {
            case .show(let value): self = .show(Popup(wire: value))
            case .update(let value): self = .update(PopupUpdate(wire: value))
            case .dismiss(let value): self = .dismiss(PopupCommand.Dismiss(wire: value))
            case .advance(let value): self = .advance(PopupCommand.Advance(wire: value))
            case .clear(let value): self = .clear(PopupCommand.Clear(wire: value))
            case .suspend(let value): self = .suspend(PopupCommand.Suspend(wire: value))
            case .resume(let value): self = .resume(PopupCommand.Resume(wire: value))
            case .setPolicy(let value): self = .setPolicy(GroupPolicy(wire: value))
            case .setSession(let value): self = .setSession(PopupCommand.SetSession(wire: value))
            case .report(let value): self = .report(PopupCommand.Report(wire: value))
            case .answer(let value): self = .answer(PopupCommand.Answer(wire: value))
            case .lease(let value): self = .lease(PopupCommand.Lease(wire: value))
            case .page(let value): self = .page(PopupCommand.Page(wire: value))
            case .unsetPolicy(let value): self = .unsetPolicy(PopupCommand.UnsetPolicy(wire: value))
            default: return nil
            }
        }

        @_spi(Wire) public var wire: WireCommand.OneOf_Command {
            switch self {
            case .show(let value): .show(value.wire)
            case .update(let value): .update(value.wire)
            case .dismiss(let value): .dismiss(value.wire)
            case .advance(let value): .advance(value.wire)
            case .clear(let value): .clear(value.wire)
            case .suspend(let value): .suspend(value.wire)
            case .resume(let value): .resume(value.wire)
            case .setPolicy(let value): .setPolicy(value.wire)
            case .setSession(let value): .setSession(value.wire)
            case .report(let value): .report(value.wire)
            case .answer(let value): .answer(value.wire)
            case .lease(let value): .lease(value.wire)
            case .page(let value): .page(value.wire)
            case .unsetPolicy(let value): .unsetPolicy(value.wire)
            }
        }
    }

    /// The command itself; `nil`: nothing.
    public var command: Kind? {
        get { wire.command.flatMap(Kind.init(wire:)) }
        set { wire.command = newValue?.wire }
    }

    /// A request for a popup.
    public var show: Popup? {
        get { if case .show(let value)? = wire.command { Popup(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .show(newValue.wire)
            } else if case .show? = wire.command {
                wire.command = nil
            }
        }
    }

    /// A change of a live popup in place.
    public var update: PopupUpdate? {
        get { if case .update(let value)? = wire.command { PopupUpdate(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .update(newValue.wire)
            } else if case .update? = wire.command {
                wire.command = nil
            }
        }
    }

    /// The dismissal of a popup by the user or an administrator.
    public var dismiss: PopupCommand.Dismiss? {
        get { if case .dismiss(let value)? = wire.command { PopupCommand.Dismiss(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .dismiss(newValue.wire)
            } else if case .dismiss? = wire.command {
                wire.command = nil
            }
        }
    }

    /// The end of the popup that the group shows; the next one follows.
    public var advance: PopupCommand.Advance? {
        get { if case .advance(let value)? = wire.command { PopupCommand.Advance(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .advance(newValue.wire)
            } else if case .advance? = wire.command {
                wire.command = nil
            }
        }
    }

    /// The end of all selected popups.
    public var clear: PopupCommand.Clear? {
        get { if case .clear(let value)? = wire.command { PopupCommand.Clear(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .clear(newValue.wire)
            } else if case .clear? = wire.command {
                wire.command = nil
            }
        }
    }

    /// A suspension, which holds popups back until its token is released.
    public var suspend: PopupCommand.Suspend? {
        get { if case .suspend(let value)? = wire.command { PopupCommand.Suspend(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .suspend(newValue.wire)
            } else if case .suspend? = wire.command {
                wire.command = nil
            }
        }
    }

    /// The release of a suspension token.
    public var resume: PopupCommand.Resume? {
        get { if case .resume(let value)? = wire.command { PopupCommand.Resume(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .resume(newValue.wire)
            } else if case .resume? = wire.command {
                wire.command = nil
            }
        }
    }

    /// A policy for a group or pattern, which replaces the earlier one.
    public var setPolicy: GroupPolicy? {
        get { if case .setPolicy(let value)? = wire.command { GroupPolicy(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .setPolicy(newValue.wire)
            } else if case .setPolicy? = wire.command {
                wire.command = nil
            }
        }
    }

    /// A change of a group's session.
    public var setSession: PopupCommand.SetSession? {
        get { if case .setSession(let value)? = wire.command { PopupCommand.SetSession(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .setSession(newValue.wire)
            } else if case .setSession? = wire.command {
                wire.command = nil
            }
        }
    }

    /// A report of a renderer about a popup.
    public var report: PopupCommand.Report? {
        get { if case .report(let value)? = wire.command { PopupCommand.Report(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .report(newValue.wire)
            } else if case .report? = wire.command {
                wire.command = nil
            }
        }
    }

    /// The answer of a renderer to an offer.
    public var answer: PopupCommand.Answer? {
        get { if case .answer(let value)? = wire.command { PopupCommand.Answer(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .answer(newValue.wire)
            } else if case .answer? = wire.command {
                wire.command = nil
            }
        }
    }

    /// A lease: the renderer is alive and shows these groups.
    public var lease: PopupCommand.Lease? {
        get { if case .lease(let value)? = wire.command { PopupCommand.Lease(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .lease(newValue.wire)
            } else if case .lease? = wire.command {
                wire.command = nil
            }
        }
    }

    /// A change of a tree of pages.
    public var page: PopupCommand.Page? {
        get { if case .page(let value)? = wire.command { PopupCommand.Page(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .page(newValue.wire)
            } else if case .page? = wire.command {
                wire.command = nil
            }
        }
    }

    /// The removal of the policy of a group or pattern.
    public var unsetPolicy: PopupCommand.UnsetPolicy? {
        get { if case .unsetPolicy(let value)? = wire.command { PopupCommand.UnsetPolicy(wire: value) } else { nil } }
        set {
            if let newValue {
                wire.command = .unsetPolicy(newValue.wire)
            } else if case .unsetPolicy? = wire.command {
                wire.command = nil
            }
        }
    }
}

extension PopupCommand {
    /// The dismissal of a popup by the user, or by an administrator.
    public struct Dismiss: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireDismiss

        /// Creates a value without any field set.
        public init() { wire = WireDismiss() }

        @_spi(Wire) public init(wire: WireDismiss) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The popup.
        public var id: String {
            get { wire.id }
            set { wire.id = newValue }
        }

        /// The action of the user: the id of an action, `outside`, or a word of the application's own.
        public var action: String {
            get { wire.action }
            set { wire.action = newValue }
        }

        /// The revision that it answers: if it is older than the popup's last activation or update, it is
        /// refused `STALE`.
        public var revision: UInt64? {
            get { wire.hasRevision ? wire.revision : nil }
            set {
                if let newValue { wire.revision = newValue } else { wire.clearRevision() }
            }
        }

        /// The renderer, for a quorum; empty: an administrator, whose dismissal closes the popup at once.
        public var client: String {
            get { wire.client }
            set { wire.client = newValue }
        }

        /// The group in which the sender believes the popup to be. If the popup is in another one, the command
        /// is refused `NOT_FOUND`; empty: any group.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }
    }
}

extension PopupCommand {
    /// The end of the popup that the group shows, so that the next one is shown.
    public struct Advance: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireAdvance

        /// Creates a value without any field set.
        public init() { wire = WireAdvance() }

        @_spi(Wire) public init(wire: WireAdvance) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The group; a name, not a pattern.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }
    }
}

extension PopupCommand {
    /// The end of all selected popups (`CLEARED`). An empty selector is refused; the group `*` selects all
    /// popups.
    public struct Clear: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireClear

        /// Creates a value without any field set.
        public init() { wire = WireClear() }

        @_spi(Wire) public init(wire: WireClear) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The popups that close, with the reason `CLEARED`. It must name something, or the command is refused
        /// `INVALID`; `{"group":"*"}` selects everything.
        public var selector: PopupSelector {
            get { PopupSelector(wire: wire.selector) }
            set { wire.selector = newValue.wire }
        }
    }
}

extension PopupCommand {
    /// A suspension: popups below `minPriority` (absent: all) are not shown in these groups until the token
    /// is released.
    public struct Suspend: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireSuspend

        /// Creates a value without any field set.
        public init() { wire = WireSuspend() }

        @_spi(Wire) public init(wire: WireSuspend) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// A name or a pattern.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }

        /// The name of the suspension; the same token again replaces it.
        public var token: String {
            get { wire.token }
            set { wire.token = newValue }
        }

        /// The priority below which popups are not shown; `nil`: no popup is shown.
        public var minPriority: Int32? {
            get { wire.hasMinPriority ? wire.minPriority : nil }
            set {
                if let newValue { wire.minPriority = newValue } else { wire.clearMinPriority() }
            }
        }
    }
}

extension PopupCommand {
    /// The release of a suspension token.
    public struct Resume: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireResume

        /// Creates a value without any field set.
        public init() { wire = WireResume() }

        @_spi(Wire) public init(wire: WireResume) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The name of the suspension; an unknown one has no effect.
        public var token: String {
            get { wire.token }
            set { wire.token = newValue }
        }
    }
}

extension PopupCommand {
    /// The removal of the policy of a group or pattern. If the configuration has one for it, that policy is
    /// in force again.
    public struct UnsetPolicy: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireUnsetPolicy

        /// Creates a value without any field set.
        public init() { wire = WireUnsetPolicy() }

        @_spi(Wire) public init(wire: WireUnsetPolicy) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The name or pattern for which the policy was set.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }
    }
}

extension PopupCommand {
    /// A change of the group's session. The popups of the previous session close (`SESSION_ENDED`).
    public struct SetSession: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireSetSession

        /// Creates a value without any field set.
        public init() { wire = WireSetSession() }

        @_spi(Wire) public init(wire: WireSetSession) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The group.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }

        /// The session from now on.
        public var session: String {
            get { wire.session }
            set { wire.session = newValue }
        }
    }
}

extension PopupCommand {
    /// A report of a renderer about a popup.
    public struct Report: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireReport

        /// Creates a value without any field set.
        public init() { wire = WireReport() }

        @_spi(Wire) public init(wire: WireReport) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The popup.
        public var id: String {
            get { wire.id }
            set { wire.id = newValue }
        }

        /// The renderer.
        public var client: String {
            get { wire.client }
            set { wire.client = newValue }
        }

        /// The report itself.
        public enum Kind: Hashable, Sendable {
            /// The popup is on the screen.
            case displayed
            /// The user can see the popup.
            case visible
            /// The user cannot see the popup.
            case hidden

            init?(wire: WireReport.OneOf_Report) {
                switch wire {
                case .displayed: self = .displayed
                case .visible: self = .visible
                case .hidden: self = .hidden
                }
            }

            @_spi(Wire) public var wire: WireReport.OneOf_Report {
                switch self {
                case .displayed: .displayed(WireEmpty())
                case .visible: .visible(WireEmpty())
                case .hidden: .hidden(WireEmpty())
                }
            }
        }

        /// The report itself; `nil`: nothing.
        public var report: Kind? {
            get { wire.report.flatMap(Kind.init(wire:)) }
            set { wire.report = newValue?.wire }
        }

        /// The group in which the sender believes the popup to be. If the popup is in another one, the command
        /// is refused `NOT_FOUND`; empty: any group.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }
    }
}

extension PopupCommand {
    /// The answer of a renderer to an offer.
    public struct Answer: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireAnswer

        /// Creates a value without any field set.
        public init() { wire = WireAnswer() }

        @_spi(Wire) public init(wire: WireAnswer) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The popup.
        public var id: String {
            get { wire.id }
            set { wire.id = newValue }
        }

        /// The renderer.
        public var client: String {
            get { wire.client }
            set { wire.client = newValue }
        }

        /// The answer to the offer.
        public enum Choice: Hashable, Sendable {
            /// The popup is shown.
            case accept
            /// The popup closes.
            case veto
            /// The popup is offered again later.
            case later(PopupCommand.Later)

            init?(wire: WireAnswer.OneOf_Answer) {
                switch wire {
                case .accept: self = .accept
                case .veto: self = .veto
                case .later(let value): self = .later(PopupCommand.Later(wire: value))
                }
            }

            @_spi(Wire) public var wire: WireAnswer.OneOf_Answer {
                switch self {
                case .accept: .accept(WireEmpty())
                case .veto: .veto(WireEmpty())
                case .later(let value): .later(value.wire)
                }
            }
        }

        /// The answer to the offer; `nil`: nothing.
        public var answer: Choice? {
            get { wire.answer.flatMap(Choice.init(wire:)) }
            set { wire.answer = newValue?.wire }
        }

        /// The popup is offered again later.
        public var later: PopupCommand.Later? {
            get { if case .later(let value)? = wire.answer { PopupCommand.Later(wire: value) } else { nil } }
            set {
                if let newValue {
                    wire.answer = .later(newValue.wire)
                } else if case .later? = wire.answer {
                    wire.answer = nil
                }
            }
        }

        /// The group in which the sender believes the popup to be. If the popup is in another one, the command
        /// is refused `NOT_FOUND`; empty: any group.
        public var group: String {
            get { wire.group }
            set { wire.group = newValue }
        }
    }
}

extension PopupCommand {
    /// The answer that the popup should be offered again later.
    public struct Later: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireLater

        /// Creates a value without any field set.
        public init() { wire = WireLater() }

        @_spi(Wire) public init(wire: WireLater) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The time for which it is not eligible; `nil`: the group's `retryMs`.
        public var retryMs: UInt32? {
            get { wire.hasRetryMs ? wire.retryMs : nil }
            set {
                if let newValue { wire.retryMs = newValue } else { wire.clearRetryMs() }
            }
        }
    }
}

extension PopupCommand {
    /// The statement of a renderer that it is alive, with the groups that it shows.
    public struct Lease: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireLease

        /// Creates a value without any field set.
        public init() { wire = WireLease() }

        @_spi(Wire) public init(wire: WireLease) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The renderer.
        public var client: String {
            get { wire.client }
            set { wire.client = newValue }
        }

        /// The names or patterns of its groups, at most as many as the limit `groupsPerLease`; none: the lease
        /// ends at once.
        public var groups: [String] {
            get { wire.groups }
            set { wire.groups = newValue }
        }
    }
}

extension PopupCommand {
    /// A change of a tree of pages.
    public struct Page: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WirePage

        /// Creates a value without any field set.
        public init() { wire = WirePage() }

        @_spi(Wire) public init(wire: WirePage) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The tree.
        public var tree: String {
            get { wire.tree }
            set { wire.tree = newValue }
        }

        /// The change of the tree.
        public enum Change: Hashable, Sendable {
            /// A new page.
            case open(PopupCommand.OpenPage)
            /// The page that becomes current.
            case enter(PopupCommand.PageNode)
            /// The page that is removed, with the pages below it.
            case close(PopupCommand.PageNode)
            /// The removal of all pages.
            case clear

            init?(wire: WirePage.OneOf_Page) {
                switch wire {
                case .open(let value): self = .open(PopupCommand.OpenPage(wire: value))
                case .enter(let value): self = .enter(PopupCommand.PageNode(wire: value))
                case .close(let value): self = .close(PopupCommand.PageNode(wire: value))
                case .clear: self = .clear
                }
            }

            @_spi(Wire) public var wire: WirePage.OneOf_Page {
                switch self {
                case .open(let value): .open(value.wire)
                case .enter(let value): .enter(value.wire)
                case .close(let value): .close(value.wire)
                case .clear: .clear(WireEmpty())
                }
            }
        }

        /// The change of the tree; `nil`: nothing.
        public var page: Change? {
            get { wire.page.flatMap(Change.init(wire:)) }
            set { wire.page = newValue?.wire }
        }

        /// A new page.
        public var open: PopupCommand.OpenPage? {
            get { if case .open(let value)? = wire.page { PopupCommand.OpenPage(wire: value) } else { nil } }
            set {
                if let newValue {
                    wire.page = .open(newValue.wire)
                } else if case .open? = wire.page {
                    wire.page = nil
                }
            }
        }

        /// The page that becomes current.
        public var enter: PopupCommand.PageNode? {
            get { if case .enter(let value)? = wire.page { PopupCommand.PageNode(wire: value) } else { nil } }
            set {
                if let newValue {
                    wire.page = .enter(newValue.wire)
                } else if case .enter? = wire.page {
                    wire.page = nil
                }
            }
        }

        /// The page that is removed, with the pages below it.
        public var close: PopupCommand.PageNode? {
            get { if case .close(let value)? = wire.page { PopupCommand.PageNode(wire: value) } else { nil } }
            set {
                if let newValue {
                    wire.page = .close(newValue.wire)
                } else if case .close? = wire.page {
                    wire.page = nil
                }
            }
        }
    }
}

extension PopupCommand {
    /// A new page of a tree.
    public struct OpenPage: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WireOpenPage

        /// Creates a value without any field set.
        public init() { wire = WireOpenPage() }

        @_spi(Wire) public init(wire: WireOpenPage) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The name of the page.
        public var node: String {
            get { wire.node }
            set { wire.node = newValue }
        }

        /// The page above; empty: the page is the root.
        public var parent: String {
            get { wire.parent }
            set { wire.parent = newValue }
        }

        /// The value, to which paths and bindings refer.
        public var value: String {
            get { wire.value }
            set { wire.value = newValue }
        }
    }
}

extension PopupCommand {
    /// A page of a tree.
    public struct PageNode: Hashable, Sendable, CustomStringConvertible {
        @_spi(Wire) public var wire: WirePageNode

        /// Creates a value without any field set.
        public init() { wire = WirePageNode() }

        @_spi(Wire) public init(wire: WirePageNode) { self.wire = wire }

        /// The value as the JSON of the protocol.
        public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }

        /// The page.
        public var node: String {
            get { wire.node }
            set { wire.node = newValue }
        }
    }
}
