import ArgumentParser
import PopupClient

/// What renderers and caps have to do with a popup.
struct AudienceOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("offer-ms")], help: "Ask the renderers so long before it is shown; 0: the group's.")
    var offer: TimeArgument?

    @Option(help: "How many renderers' dismissals close it; absent: the group's.")
    var quorum: UInt32?

    @Flag(help: "The dismissals of all live renderers close it.")
    var quorumAll = false

    @Option(help: "Counted by the group's caps with this key.")
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
