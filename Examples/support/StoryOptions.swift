public import ArgumentParser
import Foundation
public import PopupClient

/// The options of the roles of a story.
public struct StoryOptions: ParsableArguments, Sendable {
    /// The options for the endpoints of the broker.
    @OptionGroup public var endpoints: EndpointOptions

    /// The beginning of the popups' ids. An id is used only once.
    @Option(
        help: ArgumentHelp(
            "The beginning of the ids of the popups; use another one for each run with the same broker.",
            valueName: "name"))
    public var run = ""

    /// The time after which a role ends, in seconds.
    @Option(help: ArgumentHelp("The time after which a role ends in any case, in s.", valueName: "s"))
    public var atMost: UInt16 = 30

    /// Creates empty options, as the parser needs them.
    public init() {}

    /// The endpoints: those of the command line, otherwise of the environment, otherwise the default ones.
    public var brokerEndpoints: BrokerEndpoints {
        endpoints.endpoints(environment: ProcessInfo.processInfo.environment)
    }

    /// The time after which a role ends.
    public var limit: Duration { .seconds(Int64(atMost)) }
}

/// Prints a line of a story.
public func tell(_ who: String, _ what: String) {
    Output.line("\(who)  \(SafeText.line(what))")
}
