// The names of the protocol's values for applications. `Documentation/Decisions/0011` says why they are not separate types.

/// A popup, as it is asked for and as it is shown.
public typealias Popup = WirePopup
/// An answer that a user can choose, with its id and label.
public typealias PopupAction = WireAction
/// The presentation of a popup: title, icon, style and scene.
public typealias PopupPresentation = WirePresentation
/// A change of a live popup.
public typealias PopupUpdate = WireUpdate
/// A selection of popups, for `clear`, `list` and `count`.
public typealias PopupSelector = WireSelector
/// The policy of a group, or of all groups of a pattern.
public typealias GroupPolicy = WireSetPolicy
/// A preset of a policy.
public typealias PolicyPreset = WirePreset.Name
/// A policy in force: every rule of it, and where it comes from.
public typealias PolicyInForce = WirePolicyInForce
/// An event in the life of a popup.
public typealias PopupEvent = WireEvent
/// A state as the broker sent it; see `GroupState`.
public typealias PublishedState = WireGroupState
/// The cause of a state: the first event of the step that led to it.
public typealias PopupCause = WireCause
/// The end of a popup: the reason and the action.
public typealias PopupClosed = WireClosed
/// One popup in the reply to a query.
public typealias PopupSummary = WirePopupSummary
/// The popups that a selector selects, and whether there are more.
public typealias PopupList = WireListResult
/// The popups of a group in order, the active one first, and whether there are more.
public typealias GroupQueue = WirePeekResult
/// The membership of a popup in a flow.
public typealias PopupFlow = WireFlow
/// The member of a flow that must close first, and how.
public typealias PopupRequirement = WireRequirement
/// The page that a popup is bound to.
public typealias PageBinding = WirePageBinding
/// A cap on how often popups are shown.
public typealias PopupCap = WireCap
/// A time of each day in which popups are held back.
public typealias QuietWindow = WireQuietWindow
/// The path from the root of a tree of pages to a page.
public typealias PagePath = WirePathResult
/// The phase of a popup and the rules that hold it back.
public typealias PopupExplanation = WireExplainResult
/// A rule that holds a popup back, with its fields.
public typealias HoldingRule = WireHoldingRule
/// The identity of a client to the broker, and its rights.
public typealias BrokerIdentity = WireWhoamiResult
/// The popups that closed last.
public typealias PopupHistory = WireHistoryResult
/// A popup that has closed: its group, the reason, the action and the time.
public typealias ClosedPopup = WireClosedPopup
/// A group and how many popups it has.
public typealias GroupCounts = WireGroupCounts
/// A suspension in force.
public typealias PopupSuspension = WireSuspension
/// A renderer with a lease: its groups, and what it displays.
public typealias RendererSummary = WireRenderer
/// A producer whose sequences the broker remembers.
public typealias ProducerSequences = WireProducerSequences
/// The counters of the broker.
public typealias BrokerStatistics = WireStatsResult
/// A command of the protocol, for connections that send any of them.
public typealias PopupCommand = WireCommand
/// An encoding of the protocol's messages: binary or JSON.
public typealias MessageEncoding = WireEncoding
