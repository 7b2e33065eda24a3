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
            line, to the end of the last timer, without sockets and without waiting. Exits 65 at a line that can't be \
            simulated; what the broker would refuse is an event and no error.
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
        help: ArgumentHelp("When time 0 is, such as 2030-01-31T08:00:00Z (1970-01-01T00:00:00Z).", valueName: "time"))
    var start: String?

    func run() throws {
        var configuration = BrokerConfiguration()
        configuration.policies = try policies()
        var simulation = try Simulation(configuration: configuration, start: try startTime())
        var reader = try reader()
        var number = 0
        var latest: Int64 = 0
        while let line = try nextLine(&reader, after: number) {
            number += 1
            guard !line.allSatisfy(Self.isSpace) else { continue }
            let timed = try parse(line, number)
            guard timed.time >= latest else {
                throw fault(
                    number, "is at \(timed.time), before the \(latest) of an earlier line; sort the lines by \"at\"")
            }
            latest = timed.time
            for command in Self.commands(in: timed.frame) {
                simulation.apply(command, at: timed.time) { print($0.jsonLine) }
            }
            // Whoever types or pipes the commands sees what came of each before the next.
            if file == "-" { fflush(nil) }
        }
        simulation.finish { print($0.jsonLine) }
    }

    /// What the broker would make of the frame.
    private static func commands(in frame: [UInt8]) -> [Result<WireCommand, CommandRefusal>] {
        let limit = Ingress.maximumFrameBytes
        guard frame.count <= limit else {
            return [
                .failure(CommandRefusal(.tooLarge, "the frame has \(frame.count) bytes; at most \(limit) are allowed"))
            ]
        }
        return Ingress.commands(in: frame)
    }

    private func startTime() throws -> Int64 {
        guard let start else { return 0 }
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            if let date = try? style.parse(start) { return Int64((date.timeIntervalSince1970 * 1000).rounded()) }
        }
        throw ValidationError("--start \(start): give a time such as 2030-01-31T08:00:00Z.")
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

    private func reader() throws -> LineReader {
        do {
            return try LineReader(path: file)
        } catch {
            StandardError.write("popup-broker: \(file) can't be read; check its path and its permissions")
            throw ExitCode.noInput
        }
    }

    private func nextLine(_ reader: inout LineReader, after number: Int) throws -> [UInt8]? {
        do {
            return try reader.next()
        } catch {
            throw fault(number + 1, "is longer than any command; is this a file of commands?")
        }
    }

    private func parse(_ line: [UInt8], _ number: Int) throws -> TimedLine {
        do throws(TimedLine.Fault) {
            return try TimedLine(line)
        } catch {
            switch error {
            case .notJSON: throw fault(number, "is not JSON; give one command such as {\"at\":0,\"show\":{…}}")
            case .notAnObject:
                throw fault(number, "is no JSON object; give one command such as {\"at\":0,\"show\":{…}}")
            case .noTime: throw fault(number, "has no \"at\"; say when, in ms from the start")
            case .badTime: throw fault(number, "has an \"at\" that is no whole number of ms from 0 on")
            }
        }
    }

    private func fault(_ number: Int, _ text: String) -> ExitCode {
        let name = file == "-" ? "standard input" : file
        StandardError.write("popup-broker: \(name):\(number): the line \(text)")
        return .data
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}
