public import PopupProtocol

/// The kind of a command.
public enum CommandKind: String, Sendable, CaseIterable {
    /// Asks for a popup.
    case show
    /// Changes a live popup in place.
    case update
    /// Closes a popup, with the action of the user.
    case dismiss
    /// Closes the active popup of a group.
    case advance
    /// Closes the selected popups.
    case clear
    /// Holds back the popups of groups.
    case suspend
    /// Ends a suspension.
    case resume
    /// Replaces a policy.
    case setPolicy
    /// Removes a policy.
    case unsetPolicy
    /// Changes the session of a group.
    case setSession
    /// Reports what a renderer did with a popup.
    case report
    /// Answers the offer of a popup.
    case answer
    /// Renews the lease of a renderer.
    case lease
    /// Changes a tree of pages.
    case page
    /// Asks for information; changes nothing.
    case query

    /// Creates the kind of a command.
    public init(_ command: WireCommand.OneOf_Command) {
        self =
            switch command {
            case .show: .show
            case .update: .update
            case .dismiss: .dismiss
            case .advance: .advance
            case .clear: .clear
            case .suspend: .suspend
            case .resume: .resume
            case .setPolicy: .setPolicy
            case .unsetPolicy: .unsetPolicy
            case .setSession: .setSession
            case .report: .report
            case .answer: .answer
            case .lease: .lease
            case .page: .page
            case .query: .query
            }
    }
}
