public import ArgumentParser
import Foundation
public import PopupAccess
import PopupBroker
import PopupConfiguration
import PopupProtocol
import TerminalText

struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Check a configuration file and print the resulting configuration.",
        discussion: """
            Prints the configuration that `run` would use with this file, this environment and these options, each value \
            with the place where it was set. Exits with 78 after a list of all mistakes.

            With --may, answers instead whether a user may do something: exits with 0 if so, and with 77 if not.
            """)

    @Argument(help: "The configuration file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @OptionGroup
    var overrides: OverrideOptions

    @OptionGroup(title: "Rights")
    var question: RightsQuestion

    func validate() throws {
        try question.validate()
    }

    func run() throws {
        let loader = ConfigurationLoader(
            file: file, environment: ProcessInfo.processInfo.environment, flags: overrides.flags)
        let loaded: LoadedConfiguration
        do throws(ConfigurationError) {
            loaded = try loader.load()
        } catch {
            for problem in error.problems { StandardError.write("popup-broker: \(problem)") }
            throw ExitCode.configuration
        }
        for warning in loaded.warnings { StandardError.write("popup-broker: \(warning)") }
        guard let answer = question.answer(by: loaded.configuration.broker.access) else {
            return StandardOutput.write(loaded.listing())
        }
        StandardOutput.line(answer.sentence)
        if !answer.isAllowed { throw ExitCode(EX_NOPERM) }
    }
}

/// A question about what a user may do.
struct RightsQuestion: ParsableArguments {
    @Option(name: .customLong("as"), help: "The user; without it, a client without a key.")
    var user: String?

    @Option(help: "The right: \(Right.allCases.map(\.rawValue).joined(separator: ", ")).")
    var may: Right?

    @Option(help: "The group or pattern; required with --may.")
    var group: String?

    @Option(help: "With show and update: the popup's priority.")
    var priority: Int32?

    @Option(help: "With show: the popup's `exclusive`; NONE, GROUP or ALL.")
    var exclusive: Grant.ExclusiveReach = .none

    @Flag(help: "With update, dismiss and control: the popup is the user's own.")
    var own = false

    func validate() throws {
        if let user, UserName(user) == nil {
            throw ValidationError("--as: \"\(user)\" is not the name of a user; use 1 to 64 of A–Z a–z 0–9 . _ -")
        }
        if let group, GroupPattern(group) == nil {
            throw ValidationError("--group: \"\(group)\" is not a group or pattern, such as lobby, store-12/* or *")
        }
        guard (may == nil) == (group == nil), may != nil || user == nil else {
            throw ValidationError("--may and --group go together, and --as needs both")
        }
    }

    /// Returns whether these rules allow it, and a sentence that says why; `nil` if nothing was asked.
    func answer(by rules: AccessRules) -> (isAllowed: Bool, sentence: String)? {
        guard let may, let group = group.flatMap({ GroupPattern($0) }) else { return nil }
        let name = user.flatMap { UserName($0) }
        let who = name.map { "\($0)" } ?? "a client without a key"
        if let name, rules.users[name] == nil { return (false, "no: there is no user \(name) in security.users") }
        let access = rules.access(of: name)
        let reach = access.reach(ofReading: may, in: group)
        let denial: Denial? =
            switch may {
            case .show:
                access.denial(of: AccessRequest(.show(priority: priority ?? 0, exclusive: exclusive), in: group))
            case .update: access.denial(of: AccessRequest(.update(isOwn: own, priority: priority), in: group))
            case .dismiss: access.denial(of: AccessRequest(.dismiss(isOwn: own, isShown: false), in: group))
            case .control: access.denial(of: AccessRequest(own ? .clear(isOwn: true) : .control, in: group))
            case .render: access.denial(of: AccessRequest(.render, in: group))
            case .query: access.denial(of: AccessRequest(.query, in: group))
            case .watch, .events: reach == .nothing ? Denial(.right, of: may, in: group) : nil
            }
        if let denial { return (false, "no: \(who) \(denial)") }
        let answer = "yes: \(who) may \(may.rawValue) in \"\(group)\""
        guard [.watch, .events].contains(may), reach == .groupByGroup else { return (true, answer) }
        return (
            true,
            answer + ", group by group; the subscription to all of them at once matches "
                + "\"\(group.text.dropLast(2))\" too, and is denied"
        )
    }
}

extension Right: ExpressibleByArgument {}
extension Grant.ExclusiveReach: ExpressibleByArgument {}
