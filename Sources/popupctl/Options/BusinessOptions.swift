import ArgumentParser
import PopupClient

/// The options of a popup for its flow, page and session.
struct BusinessOptions: ParsableArguments {
    @Option(help: "The flow to which it belongs: related popups that are shown with no other popup in between.")
    var flow: String?

    @Option(help: "Its place in the flow; lower stages first.")
    var stage: UInt32?

    @Option(
        help: ArgumentHelp(
            "The member that must close first; with :action (after the last colon), by this action.",
            valueName: "popup[:action]"))
    var requires: RequirementArgument?

    @Option(
        name: [.long, .customLong("hold-ms")],
        help: "After it has closed, the flow keeps the slot for this time, for members that come later.",
        transform: TimeArgument.parse)
    var hold: TimeArgument?

    @Option(
        help: ArgumentHelp(
            "Show it only while the current page of the tree has this value; with :within, also while a page above it has it.",
            valueName: "tree:value[:scope]"))
    var page: PageArgument?

    @Option(help: "Show it only while the group has this session.")
    var session: String?

    /// Checks that there is a flow if something is said about the popup's place in it.
    func check() throws(Failure) {
        if flow == nil, stage != nil || requires != nil || hold != nil {
            throw Failure("--stage, --requires and --hold need --flow", .validationFailure)
        }
    }

    func apply(to popup: inout Popup) {
        if let flow {
            popup.flow = PopupFlow(
                flow, stage: stage ?? 0, requires: requires?.requirement, hold: hold?.duration ?? .zero)
        }
        if let page { popup.page = page.binding }
        popup.session = session ?? ""
    }
}

/// A required popup: `A`, or `A:confirm`; `a:b:` is the popup `a:b` without an action.
struct RequirementArgument: ExpressibleByArgument, Equatable {
    let requirement: PopupRequirement

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":") else {
            guard !argument.isEmpty else { return nil }
            requirement = PopupRequirement(argument)
            return
        }
        let popup = String(argument[..<colon])
        guard !popup.isEmpty else { return nil }
        requirement = PopupRequirement(popup, action: String(argument[argument.index(after: colon)...]))
    }
}

/// A page binding: `app:video`, `app:video:current` or `app:history:within`.
struct PageArgument: ExpressibleByArgument, Equatable {
    let binding: PageBinding

    init?(argument: String) {
        var parts = argument.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        var scope = PageBinding.Scope.current
        if parts.count > 2, let last = parts.last, let named = Self.scopes[last] {
            scope = named
            parts.removeLast()
        }
        guard parts.count >= 2 else { return nil }
        let (tree, value) = (parts[0], parts.dropFirst().joined(separator: ":"))
        guard !tree.isEmpty, !value.isEmpty else { return nil }
        binding = PageBinding(tree: tree, value: value, scope: scope)
    }

    private static let scopes: [String: PageBinding.Scope] = ["current": .current, "within": .within]
}
