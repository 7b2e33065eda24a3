import ArgumentParser
import Foundation
import PopupBroker
import PopupConfiguration
import PopupProtocol
import PopupSimulation
import SQLiteJournal
import TerminalText

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run commands from a file in virtual time and print every event.",
        discussion: """
            Each line is one JSON command with an additional member "at", its time in ms; the lines are in order of time. Each \
            event is printed as one JSON line, until the last timer has ended, without sockets and without waiting. The \
            number of popups that still wait then is printed on standard error. Exits with 65 at a line that cannot be \
            simulated; a command that the broker would refuse is an event, not an error.

            With --diff, the commands are run twice: with their own setPolicy commands, and with the policies of --policy \
            instead. The output lists the popups whose outcome differs. With --journal, the commands are those of a data \
            directory, which a broker may be using; it is only read. With --since, only popups are listed to which \
            something happened since then in one of the runs.
            """)

    @Argument(
        help: "The file with the commands; - for standard input.", completion: .file(extensions: ["jsonl", "json"]))
    var file: String?

    @Option(
        help: ArgumentHelp(
            "With --diff: a data directory, instead of a file with commands.", valueName: "directory"),
        completion: .directory)
    var journal: String?

    @Option(
        help: ArgumentHelp(
            "A YAML file with a configuration, a list of policies, or one policy; - for standard input.",
            valueName: "file"))
    var policy: String?

    @Option(
        help: ArgumentHelp(
            "The date and time of \"at\":0, for example 2030-01-31T08:00:00Z (default: 1970-01-01T00:00:00Z).",
            valueName: "time"))
    var start: String?

    @Option(
        help: ArgumentHelp(
            "With --journal: the time from which on popups are listed, for example 2030-01-31T08:00:00Z.",
            valueName: "time"))
    var since: String?

    @Flag(help: "Print how the outcomes differ under the policies of --policy, instead of every event.")
    var diff = false

    @Flag(
        help: "With --diff: replace only the policies of the groups and patterns in --policy, and keep the others.")
    var keepOtherPolicies = false

    @Flag(help: "With --diff: print one JSON object per line for each popup whose outcome differs.")
    var json = false

    func validate() throws {
        if diff, policy == nil { throw ValidationError("--diff needs policies to compare with; give --policy FILE.") }
        switch (file, journal) {
        case (nil, nil): throw ValidationError("name a file with commands, or - for standard input.")
        case (.some, .some): throw ValidationError("give a file or --journal, not both.")
        case (nil, .some) where !diff:
            throw ValidationError("--journal needs --diff; to see the commands, use `popup-broker journal export`.")
        case (nil, .some) where start != nil:
            throw ValidationError("--journal has its own times; leave out --start.")
        default: break
        }
        if file == "-" || file == nil && journal == nil, policy == "-" {
            throw ValidationError(
                "standard input has either the commands or the policies; name a file for one of them.")
        }
        if since != nil, journal == nil { throw ValidationError("--since needs --journal.") }
        _ = try startTime()
        _ = try sinceTime()
        if keepOtherPolicies, !diff { throw ValidationError("--keep-other-policies needs --diff.") }
        if json, !diff { throw ValidationError("--json needs --diff; without --diff, every line is JSON anyway.") }
    }

    func run() throws {
        let policies = try policies()
        let start = try startTime()
        if let journal { return try compare(journal: DataDirectory(journal), policies) }
        let file = file ?? "-"
        do {
            let recording = try CommandFile(path: file)
            if diff { try compare(recording, policies, start) } else { try simulate(recording, policies, start) }
        } catch let fault as RecordingFault {
            StandardError.write("popup-broker: \(fault.text)")
            throw fault.isMissing ? ExitCode.noInput : ExitCode.data
        }
    }

    private func simulate(_ recording: some Recording, _ policies: [WireSetPolicy], _ start: Int64) throws {
        var recording = recording
        var configuration = BrokerConfiguration()
        configuration.policies = policies
        var simulation = try Simulation(SimulationSettings(configuration), start: start)
        while let step = try recording.next() {
            switch step.action {
            case .commands(let commands, let leasesLast):
                for command in commands {
                    simulation.apply(command, at: step.time, leasesLast: leasesLast, tell: Self.printEvent)
                }
            case .removePolicy(let pattern): simulation.removePolicy(of: pattern, at: step.time, tell: Self.printEvent)
            case .setWallClock(let ahead): simulation.setWallClock(ahead: ahead, at: step.time, tell: Self.printEvent)
            }
        }
        simulation.finish(tell: Self.printEvent)
        printWaiting(simulation.waitingCount())
    }

    private static func printEvent(_ event: Simulation.Output) {
        StandardOutput.line(event.jsonLine.jsonWithoutInvisibles)
    }

    /// Reports the popups that have no event, because the output does not show them.
    private func printWaiting(_ count: Int) {
        guard count > 0 else { return }
        StandardError.write(
            "popup-broker: \(count == 1 ? "1 popup still waits" : "\(count) popups still wait"); to see why, "
                + "add a query `explain`; to let time pass, add a later line")
    }

    private func compare(_ recording: some Recording, _ policies: [WireSetPolicy], _ start: Int64) throws {
        var recording = recording
        var comparison = try PolicyComparison(
            policies: policies, replacing: replacement, SimulationSettings(BrokerConfiguration()), start: start)
        while let step = try recording.next() {
            switch step.action {
            case .commands(let commands, let leasesLast):
                for command in commands { comparison.apply(command, at: step.time, leasesLast: leasesLast) }
            case .removePolicy(let pattern): comparison.removePolicy(of: pattern, at: step.time)
            case .setWallClock(let ahead): comparison.setWallClock(ahead: ahead, at: step.time)
            }
        }
        printDifferences(comparison)
    }

    /// Compares the policies on what a broker has committed.
    private func compare(journal: DataDirectory, _ policies: [WireSetPolicy]) throws {
        var reader = JournalComparison(policies: policies, replacing: replacement)
        do {
            try reader.read(journal)
        } catch let error as SQLiteJournalError {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode(error)
        } catch let error as CommandRefusal {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode.configuration
        } catch {
            StandardError.write("popup-broker: \(error)")
            throw ExitCode.data
        }
        for note in reader.notes { StandardError.write("popup-broker: \(note)") }
        printDifferences(try reader.finish(), since: try sinceTime())
    }

    private func printDifferences(_ comparison: consuming PolicyComparison, since: Int64 = 0) {
        var comparison = comparison
        let (differences, popups) = comparison.finish(since: since)
        if json {
            for difference in differences {
                StandardOutput.line(DifferenceLine(difference).text.jsonWithoutInvisibles)
            }
        } else {
            for line in DifferenceTable(differences, popups: popups, .current).lines { StandardOutput.line(line) }
        }
    }

    private var replacement: PolicyComparison.Replacement { keepOtherPolicies ? .samePatterns : .all }

    private func startTime() throws -> Int64 {
        guard let start else { return 0 }
        return try Self.time(start, of: "--start")
    }

    private func sinceTime() throws -> Int64 {
        guard let since else { return 0 }
        return try Self.time(since, of: "--since")
    }

    private static func time(_ text: String, of option: String) throws -> Int64 {
        do throws(Timestamp.Fault) {
            return try Timestamp(text).milliseconds
        } catch {
            let wanted = "give a time like 2030-01-31T08:00:00Z or 2030-01-31T09:00:00+01:00."
            switch error {
            case .form: throw ValidationError("\(option) \(text) is not a time in the form of RFC 3339; \(wanted)")
            case .impossible: throw ValidationError("\(option) \(text): there is no such day or time; \(wanted)")
            case .before1970: throw ValidationError("\(option) \(text) is before 1970-01-01T00:00:00Z; \(wanted)")
            }
        }
    }

    private func policies() throws -> [WireSetPolicy] {
        guard let policy else { return [] }
        do throws(ConfigurationError) {
            return try PolicyFile(name: policy == "-" ? "/dev/stdin" : policy).load()
        } catch {
            for problem in error.problems { StandardError.write("popup-broker: \(problem)") }
            throw ExitCode.configuration
        }
    }
}
