import ArgumentParser
import PopupClient
import PopupProtocol

/// The options of a policy for renderers.
struct RendererPolicyOptions: ParsableArguments {
    enum DisplayClock: String, WordArgument {
        case display, visible
    }

    enum OfferDefault: String, WordArgument {
        case show, close
    }

    enum Undisplayed: String, WordArgument {
        case hold, skip, close
    }

    enum RendererLost: String, WordArgument {
        case hold, requeue, close
    }

    @Option(help: "What counts as display time: the time as the active popup, or as visible on a renderer.")
    var clock: DisplayClock?

    @Option(
        help: "Offer popups to the renderers for this time before they are shown (0: do not).",
        transform: TimeArgument.parse)
    var offer: TimeArgument?

    @Option(help: "What happens to an offer that no renderer answers.")
    var offerDefault: OfferDefault?

    @Option(help: "The least time between the answer `later` and the next offer.", transform: TimeArgument.parse)
    var retry: TimeArgument?

    @Option(
        help: "The time within which a renderer must display the active popup (0: no limit).",
        transform: TimeArgument.parse)
    var displayTimeout: TimeArgument?

    @Option(help: "What happens to a popup that no renderer displays in time.")
    var undisplayed: Undisplayed?

    @Option(help: "What happens to a popup whose renderers are gone.")
    var rendererLost: RendererLost?

    @Option(help: "How often a popup that returns to the queue is shown, at most.")
    var maxAttempts: UInt32?

    @Option(help: "The number of renderers that must dismiss a popup.")
    var quorum: UInt32?

    @Flag(inversion: .prefixedNo, help: "All live renderers must dismiss a popup.")
    var quorumAll: Bool?

    func validate() throws {
        if quorum != nil, quorumAll == true { throw ValidationError("Give --quorum or --quorum-all, not both.") }
    }

    func apply(to policy: inout GroupPolicy) {
        policy.clock =
            switch clock {
            case nil: .unspecified
            case .display: .display
            case .visible: .visible
            }
        if let offer { policy.offerMs = offer.milliseconds }
        policy.offerDefault =
            switch offerDefault {
            case nil: .unspecified
            case .show: .show
            case .close: .close
            }
        if let retry { policy.retryMs = retry.milliseconds }
        if let displayTimeout { policy.displayTimeoutMs = displayTimeout.milliseconds }
        policy.undisplayed =
            switch undisplayed {
            case nil: .unspecified
            case .hold: .hold
            case .skip: .skip
            case .close: .close
            }
        policy.rendererLost =
            switch rendererLost {
            case nil: .unspecified
            case .hold: .hold
            case .requeue: .requeue
            case .close: .close
            }
        if let maxAttempts { policy.maxAttempts = maxAttempts }
        if let quorum { policy.quorum = quorum }
        if let quorumAll { policy.quorumAll = quorumAll }
    }
}
