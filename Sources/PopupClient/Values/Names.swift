// The wire's values under the names that applications know them by.

/// What is asked to be shown, and what is on screen.
public typealias Popup = WirePopup
/// Changes to a live popup.
public typealias PopupUpdate = WireUpdate
/// Chooses popups, for `clear`, `list` and `count`.
public typealias PopupSelector = WireSelector
/// The rules of a group, or of all groups of a pattern.
public typealias GroupPolicy = WireSetPolicy
/// Something that happened to a popup.
public typealias PopupEvent = WireEvent
/// How and why a popup closed.
public typealias PopupClosed = WireClosed
/// One popup in the answer to a query.
public typealias PopupSummary = WirePopupSummary
/// A popup's part in a business of several.
public typealias PopupFlow = WireFlow
/// The member of a flow that must have closed first, and how.
public typealias PopupRequirement = WireRequirement
/// The page that a popup is bound to.
public typealias PageBinding = WirePageBinding
/// How often popups may be shown.
public typealias PopupCap = WireCap
/// A part of each day in which popups are held back.
public typealias QuietWindow = WireQuietWindow
/// The way from the root of a tree of pages to one of them.
public typealias PagePath = WirePathResult
/// Where a popup is and what keeps it there.
public typealias PopupExplanation = WireExplainResult
/// The broker's counters.
public typealias BrokerStatistics = WireStatsResult
