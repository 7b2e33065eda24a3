import ArgumentParser
import Foundation

/// The group of a command as an argument or an option, or that of the environment.
struct GroupArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The group (default: that of the variable POPUP_GROUP).", valueName: "group"),
        completion: BrokerCompletion.groups)
    var given: String?

    @OptionGroup var option: GroupOption

    /// The group; empty if there is none.
    var group: String {
        Self.chosen(given: given ?? option.group, environment: ProcessInfo.processInfo.environment)
    }

    func validate() throws {
        try option.checkOnce(beside: given)
    }

    /// Checks that there is a group.
    func check() throws(Failure) {
        if group.isEmpty {
            throw Failure("give a group, as an argument or by the variable POPUP_GROUP", .validationFailure)
        }
    }

    /// Returns the given group, or that of the environment; empty if there is none.
    static func chosen(given: String?, environment: [String: String]) -> String {
        given ?? environment["POPUP_GROUP"] ?? ""
    }
}
