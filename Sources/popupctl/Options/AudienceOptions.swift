import ArgumentParser
import PopupClient

/// The options of a popup for offers, quorums and caps.
struct AudienceOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("offer-ms")],
        help: "Offer it to the renderers for this time before it is shown (default: that of the group).",
        transform: TimeArgument.parse)
    var offer: TimeArgument?

    @Option(help: "The number of renderers that must dismiss it (default: that of the group).")
    var quorum: UInt32?

    @Flag(help: "All live renderers must dismiss it.")
    var quorumAll = false

    @Option(help: "Count it for the caps of the group with this key.")
    var capKey: String?

    func validate() throws {
        if quorum != nil, quorumAll { throw ValidationError("Give --quorum or --quorum-all, not both.") }
    }

    func apply(to popup: inout Popup) {
        popup.offerMs = offer?.milliseconds ?? 0
        popup.quorum = quorum ?? 0
        popup.quorumAll = quorumAll
        popup.capKey = capKey ?? ""
    }
}
