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
/// Where a popup is and what keeps it there.
public typealias PopupExplanation = WireExplainResult
/// The broker's counters.
public typealias BrokerStatistics = WireStatsResult
