import ArgumentParser
import Foundation
import PopupBroker
import PopupConfiguration
import PopupProtocol

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run commands from a file in virtual time and print every event.",
        discussion: """
            Each line is one JSON command with "at" in ms beside it, in order of time. Each event is printed as one JSON \
            line, to the end of the last timer, without sockets and without waiting. Popups that still wait then are \
            counted on the standard error. Exits 65 at a line that can't be simulated; what the broker would refuse is an \
            event and no error.

            With --diff the commands are run twice, with their own setPolicy commands and with the policies of --policy \
            in their place from the start; printed is what becomes otherwise of which popup.
            """)

    @Argument(
        help: "The file of commands; - is the standard input.", completion: .file(extensions: ["jsonl", "json"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "A file with policies in the configuration's words: a configuration, a list of policies, or one.",
            valueName: "file"))
    var policy: String?

    @Option(
        help: ArgumentHelp(
            "When time 0 is, from 1970 on, such as 2030-01-31T08:00:00Z (1970-01-01T00:00:00Z).", valueName: "time"))
    var start: String?

    @Flag(help: "Print what becomes otherwise under the policies of --policy instead of every event.")
    var diff = false

    @Flag(help: "With --diff: one JSON object a line for each popup that fares otherwise.")
    var json = false

    func validate() throws {
        if diff, policy == nil { throw ValidationError("--diff needs policies to compare with; give --policy FILE.") }
        _ = try startTime()
        if json, !diff { throw ValidationError("--json goes with --diff; without it every line is JSON anyway.") }
    }

    func run() throws {
        let policies = try policies()
        let start = try startTime()
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
        var simulation = try Simulation(configuration: configuration, start: start)
        while let step = try recording.next() {
            switch step.action {
            case .commands(let commands, let leasesLast):
                for command in commands {
                    simulation.apply(command, at: step.time, leasesLast: leasesLast) { print($0.jsonLine) }
                }
            case .removePolicy(let pattern): simulation.removePolicy(of: pattern, at: step.time) { print($0.jsonLine) }
            }
            // Whoever types or pipes the commands sees what came of each before the next.
            if file == "-" { fflush(nil) }
        }
        simulation.finish { print($0.jsonLine) }
        tellWaiting(simulation.waitingCount())
    }

    /// The output alone doesn't tell what no event came of.
    private func tellWaiting(_ count: Int) {
        guard count > 0 else { return }
        // Behind the events, where both streams are the terminal.
        fflush(nil)
        StandardError.write(
            "popup-broker: \(count == 1 ? "1 popup still waits" : "\(count) popups still wait"); `explain` tells why: "
                + "add a query, or a later line to let time go on")
    }

    private func compare(_ recording: some Recording, _ policies: [WireSetPolicy], _ start: Int64) throws {
        var recording = recording
        var comparison = try PolicyComparison(policies: policies, start: start)
        while let step = try recording.next() {
            switch step.action {
            case .commands(let commands, let leasesLast):
                for command in commands { comparison.apply(command, at: step.time, leasesLast: leasesLast) }
            case .removePolicy(let pattern): comparison.removePolicy(of: pattern, at: step.time)
            }
        }
        let (differences, popups) = comparison.finish()
        if json {
            for difference in differences { print(DifferenceLine(difference).text) }
        } else {
            for line in DifferenceTable(differences, popups: popups).lines { print(line) }
        }
    }

    private func startTime() throws -> Int64 {
        guard let start else { return 0 }
        do throws(Timestamp.Fault) {
            return try Timestamp(start).milliseconds
        } catch {
            let wanted = "give a time such as 2030-01-31T08:00:00Z or 2030-01-31T09:00:00+01:00."
            switch error {
            case .form: throw ValidationError("--start \(start) is no time of RFC 3339; \(wanted)")
            case .impossible: throw ValidationError("--start \(start): no calendar or clock has it; \(wanted)")
            case .before1970: throw ValidationError("--start \(start) is before 1970-01-01T00:00:00Z; \(wanted)")
            }
        }
    }

    private func policies() throws -> [WireSetPolicy] {
        guard let policy else { return [] }
        do throws(ConfigurationError) {
            return try PolicyFile(name: policy).load()
        } catch {
            for problem in error.problems { StandardError.write("popup-broker: \(problem)") }
            throw ExitCode.configuration
        }
    }
}
