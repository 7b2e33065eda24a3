import ArgumentParser
import ExampleSupport
import Foundation
import PopupClient

/// What all roles take.
struct StoryOptions: ParsableArguments {
    @OptionGroup var endpoints: EndpointOptions

    @Option(
        help: ArgumentHelp(
            "What the popups' ids begin with: another one for each story with the same broker.", valueName: "name"))
    var run = ""

    @Option(help: ArgumentHelp("A role ends by then, whatever the others do.", valueName: "s"))
    var atMost: UInt16 = 30

    var brokerEndpoints: BrokerEndpoints {
        endpoints.endpoints(environment: ProcessInfo.processInfo.environment)
    }

    var limit: Duration { .seconds(Int64(atMost)) }
}

@main
struct FreightNegotiation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freight-negotiation",
        abstract: "Roles of a story: carriers bargain with shippers over loads. `run.sh` plays all of them.",
        subcommands: [CarrierRole.self, ShipperRole.self, OfficeRole.self, CustomerRole.self])
}

/// Writes a line of the story.
func tell(_ who: String, _ what: String) {
    Output.line("\(who)  \(SafeText.line(what))")
}
