public import ArgumentParser
import Foundation
public import PopupClient

/// What the roles of a story take.
public struct StoryOptions: ParsableArguments, Sendable {
    /// Where the broker is.
    @OptionGroup public var endpoints: EndpointOptions

    /// What the popups' ids begin with: an id names a popup for ever.
    @Option(
        help: ArgumentHelp(
            "The beginning of the ids of the popups; use another one for each run with the same broker.",
            valueName: "name"))
    public var run = ""

    /// In seconds.
    @Option(help: ArgumentHelp("The time after which a role ends in any case, in s.", valueName: "s"))
    public var atMost: UInt16 = 30

    /// Needed by the parser.
    public init() {}

    /// The endpoints: of the command line, else of the environment, else the standard ones.
    public var brokerEndpoints: BrokerEndpoints {
        endpoints.endpoints(environment: ProcessInfo.processInfo.environment)
    }

    /// A role ends by then.
    public var limit: Duration { .seconds(Int64(atMost)) }
}

/// Writes a line of a story.
public func tell(_ who: String, _ what: String) {
    Output.line("\(who)  \(SafeText.line(what))")
}
