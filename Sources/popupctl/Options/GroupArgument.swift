import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol
import TerminalText

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
        try Self.check(group, "give a group, as an argument or by the variable POPUP_GROUP")
    }

    /// Checks that a text is the name of one group.
    ///
    /// - Parameter missing: What to say if it is empty.
    static func check(_ group: String, _ missing: String) throws(Failure) {
        if group.isEmpty { throw Failure(missing, .validationFailure) }
        guard GroupName(group) == nil else { return }
        let what =
            GroupPattern(group) == nil ? "not a valid group name" : "a pattern, but the command is about one group"
        throw Failure(
            "`\(group.onOneLine)` is \(what); use 1 to 8 segments of A–Z a–z 0–9 . _ - joined by `/`",
            .validationFailure)
    }

    /// Returns the given group, or that of the environment; empty if there is none.
    static func chosen(given: String?, environment: [String: String]) -> String {
        given ?? environment["POPUP_GROUP"] ?? ""
    }
}
