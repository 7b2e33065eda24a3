import ArgumentParser
import PopupClient
import PopupProtocol

/// The options of a popup for its appearance and its actions.
struct PresentationOptions: ParsableArguments {
    enum Scene: String, WordArgument {
        case center
        case bottomSheet = "bottom-sheet"
        case topBar = "top-bar"
        case fullScreen = "full-screen"
    }

    enum Animation: String, WordArgument {
        case still = "none"
        case fade, slide, zoom
    }

    @Option(name: .customLong("action"), help: "An action that the user can choose: id=label, or id. May be repeated.")
    var actions: [ActionArgument] = []

    @Option(help: "The title.")
    var title: String?

    @Option(help: "The position on the screen.")
    var scene: Scene?

    @Option(help: "The animation with which it appears.")
    var animation: Animation?

    @Option(help: "The name or URL of an icon.")
    var icon: String?

    @Option(help: "The style: info, success, warning, error, or a word of your application.")
    var style: String?

    @Option(help: "The radius of the corners.")
    var cornerRadius: UInt32?

    @Flag(help: "Let a touch outside of it dismiss it.")
    var dismissOnOutside = false

    @Flag(help: "Show the time left.")
    var countdown = false

    @Flag(help: "Darken what is behind it.")
    var backdrop = false

    /// The actions with which the user can dismiss it; none if no action is given: then they are words of the application's
    /// own.
    var answers: [String] {
        actions.isEmpty ? [] : actions.map(\.action.id) + (dismissOnOutside ? ["outside"] : [])
    }

    /// The presentation; `nil` if none of the options was given.
    var presentation: PopupPresentation? {
        var presentation = PopupPresentation()
        presentation.title = title ?? ""
        presentation.icon = icon ?? ""
        presentation.style = style ?? ""
        presentation.cornerRadius = cornerRadius ?? 0
        presentation.dismissOnOutside = dismissOnOutside
        presentation.countdown = countdown
        presentation.backdrop = backdrop
        presentation.scene =
            switch scene {
            case nil: .unspecified
            case .center: .center
            case .bottomSheet: .bottomSheet
            case .topBar: .topBar
            case .fullScreen: .fullScreen
            }
        presentation.animation =
            switch animation {
            case nil: .unspecified
            case .still: .noAnimation
            case .fade: .fade
            case .slide: .slide
            case .zoom: .zoom
            }
        return presentation == PopupPresentation() ? nil : presentation
    }
}

/// An action: its id and label, `ok=Got it`, or its id alone, `ok`.
struct ActionArgument: ExpressibleByArgument, Equatable {
    let action: PopupAction

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let id = parts.first, !id.isEmpty else { return nil }
        action = PopupAction(id: id, label: parts.count == 2 ? parts[1] : id)
    }
}
