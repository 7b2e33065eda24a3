import ArgumentParser
import PopupClient
import PopupProtocol

/// The rules of a group about those who show its popups, as options.
struct RendererPolicyOptions: ParsableArguments {
    enum DisplayClock: String, CaseIterable, ExpressibleByArgument {
        case display, visible
    }

    enum OfferDefault: String, CaseIterable, ExpressibleByArgument {
        case show, close
    }

    enum Undisplayed: String, CaseIterable, ExpressibleByArgument {
        case hold, skip, close
    }

    enum RendererLost: String, CaseIterable, ExpressibleByArgument {
        case hold, requeue, close
    }

    @Option(help: "What counts as display time: being active, or being visible on a renderer.")
    var clock: DisplayClock?

    @Option(help: "Popups that name no time themselves are offered so long; 0: they are not.")
    var offer: TimeArgument?

    @Option(help: "What becomes of an offer that nobody answers.")
    var offerDefault: OfferDefault?

    @Option(help: "How long after `later` a popup is not offered again.")
    var retry: TimeArgument?

    @Option(help: "An active popup has to be displayed so soon; 0: whenever.")
    var displayTimeout: TimeArgument?

    @Option(help: "What becomes of one that is not.")
    var undisplayed: Undisplayed?

    @Option(help: "What becomes of one whose renderers are gone.")
    var rendererLost: RendererLost?

    @Option(help: "How often a popup is shown at most when it goes back into the queue.")
    var maxAttempts: UInt32?

    @Option(help: "How many renderers' dismissals close a popup.")
    var quorum: UInt32?

    @Flag(inversion: .prefixedNo, help: "The dismissals of all live renderers close a popup.")
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
