public import PopupProtocol

/// Which command it is.
public enum CommandKind: String, Sendable, CaseIterable {
    /// Put a popup before a person.
    case show
    /// Change a live popup in place.
    case update
    /// The person is done with a popup.
    case dismiss
    /// Close whichever popup a group shows.
    case advance
    /// Close what is selected.
    case clear
    /// Hold back popups.
    case suspend
    /// Release a suspension.
    case resume
    /// Replace a policy.
    case setPolicy
    /// Change a group's session.
    case setSession
    /// What a renderer did.
    case report
    /// A renderer's answer to an offer.
    case answer
    /// A renderer lives.
    case lease
    /// Change a tree of pages.
    case page
    /// Ask.
    case query

    /// The kind of a command.
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
            case .setSession: .setSession
            case .report: .report
            case .answer: .answer
            case .lease: .lease
            case .page: .page
            case .query: .query
            }
    }
}
