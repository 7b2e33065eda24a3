import ArgumentParser
import PopupClient
import PopupProtocol

/// Hints for the renderer, and what the person can do.
struct PresentationOptions: ParsableArguments {
    enum Scene: String, CaseIterable, ExpressibleByArgument {
        case center
        case bottomSheet = "bottom-sheet"
        case topBar = "top-bar"
        case fullScreen = "full-screen"
    }

    enum Animation: String, CaseIterable, ExpressibleByArgument {
        case still = "none"
        case fade, slide, zoom
    }

    @Option(name: .customLong("action"), help: "What the person can do, as id=label or id; may be repeated.")
    var actions: [ActionArgument] = []

    @Option(help: "A heading.")
    var title: String?

    @Option(help: "Where it appears.")
    var scene: Scene?

    @Option(help: "How it appears.")
    var animation: Animation?

    @Option(help: "The name or URL of an icon.")
    var icon: String?

    @Option(help: "info, success, warning, error, or the application's own word.")
    var style: String?

    @Option(help: "The radius of its corners.")
    var cornerRadius: UInt32?

    @Flag(help: "A touch outside of it dismisses it.")
    var dismissOnOutside = false

    @Flag(help: "Show the time that is left.")
    var countdown = false

    @Flag(help: "Darken what is behind it.")
    var backdrop = false

    /// Nil: none of them was given.
    var presentation: WirePresentation? {
        var presentation = WirePresentation()
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
        return presentation == WirePresentation() ? nil : presentation
    }
}

/// `ok=Got it`, or `ok` alone.
struct ActionArgument: ExpressibleByArgument, Equatable {
    let action: WireAction

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let id = parts.first, !id.isEmpty else { return nil }
        action = WireAction(id: id, label: parts.count == 2 ? parts[1] : id)
    }
}
