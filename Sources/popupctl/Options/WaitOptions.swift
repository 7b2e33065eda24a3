import ArgumentParser
import PopupClient
import PopupProtocol
import TerminalText

/// The options of `show` for what it waits for, what it prints, and its exit code.
struct WaitOptions: ParsableArguments {
    /// The line that is printed instead of a sentence.
    enum Form: String, EnumerableFlag {
        case printId, printAction, quiet

        /// The name of the option.
        var optionName: String {
            switch self {
            case .printId: "print-id"
            case .printAction: "print-action"
            case .quiet: "quiet"
            }
        }

        static func name(for form: Form) -> NameSpecification {
            form == .quiet ? .shortAndLong : .long
        }

        static func help(for form: Form) -> ArgumentHelp? {
            switch form {
            case .printId: "Print only the id, as soon as the broker has accepted the popup."
            case .printAction: "Wait, and print only the action with which it was dismissed."
            case .quiet: "Print nothing; the exit code says it."
            }
        }
    }

    @Flag(help: "Wait until it has closed, and print how.")
    var wait = false

    @Option(
        help: ArgumentHelp(
            """
            Wait, and exit with 0 only if it was dismissed with this action: one of --action, or `outside` with \
            --dismiss-on-outside; without --action, any word. May be repeated.
            """,
            valueName: "action"))
    var expect: [String] = []

    @Flag var form: Form?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether Ctrl-C (SIGINT, SIGTERM, SIGHUP) cancels the popup while the command waits.")
    var cancel = true

    /// Whether to wait until the popup has closed.
    var waits: Bool { wait || !expect.isEmpty || form == .printAction }

    /// Checks that the popup can be dismissed with each expected action. One without an action is expected as "".
    ///
    /// - Parameter answers: The actions that the popup offers; if there are none, the application has words of its own.
    func check(among answers: [String]) throws(Failure) {
        guard !answers.isEmpty, let unknown = expect.first(where: { !$0.isEmpty && !answers.contains($0) }) else {
            return
        }
        let names = answers.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let advice = Suggestion.advice(for: unknown, among: names)
        throw Failure("--expect: the popup has no action `\(unknown.onOneLine)`; \(advice)", .validationFailure)
    }

    /// Returns the exit code for a popup that has closed: 0 if it was dismissed with an expected action, otherwise 1.
    func exitCode(_ closed: PopupClosed) -> ExitCode {
        guard closed.reason == .dismissed else { return .failure }
        return expect.isEmpty || expect.contains(closed.action) ? .success : .failure
    }
}
