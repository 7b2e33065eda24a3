import ArgumentParser
import ExampleSupport
import Foundation
import PopupClient
import SystemCalls

@main
struct ReplayProducer: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay-producer",
        abstract: "Sends the commands of a file, each at its time.",
        discussion: """
            The file has the format of `popup-broker simulate`: one JSON command per line, with its time "at" in ms. What you \
            have tried there in virtual time, you see here on real screens.
            """,
        version: ProductVersion.text(of: "replay-producer"))

    @OptionGroup var endpoints: EndpointOptions

    @Argument(help: "The file; - for standard input.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The factor by which all times are shorter, those in the commands too: 2 is twice as fast.",
            valueName: "factor")
    )
    var speed = 1.0

    @Option(
        help: ArgumentHelp(
            "How often the file is played. From the second round on, -2, -3, … is appended to the ids, which cannot be reused.",
            valueName: "rounds"))
    var loop = 1

    @Option(help: ArgumentHelp("The time between two rounds, in ms (shortened like the other times).", valueName: "ms"))
    var pause: UInt32 = 1000

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Append this to every id, so that a file can be played again to the same broker.", valueName: "text"))
    var suffix = ""

    @Flag(help: "Do not print what is sent.")
    var quiet = false

    func validate() throws {
        guard Tempo(speed) != nil else { throw ValidationError("--speed must be above 0 and at most 1000.") }
        guard (1...1_000_000).contains(loop) else { throw ValidationError("--loop must be from 1 to 1000000.") }
    }

    func perform() async throws {
        let entries = try read().entries
        let producer = try Producer(endpoints.endpoints(environment: ProcessInfo.processInfo.environment))
        try await producer.connected()
        await reportKnownPopups(of: entries, to: producer)
        let round = (entries.last?.at ?? .zero) + .milliseconds(Int64(pause))
        let (loop, tempo, suffix, quiet) = (loop, Tempo(speed)!, suffix, quiet)
        try await running {
            let start = ContinuousClock.now
            for played in 0..<loop {
                let ending = played == 0 ? suffix : "\(suffix)-\(played + 1)"
                for entry in entries {
                    let time = round * played + entry.at
                    try await Task.sleep(until: start + tempo.time(time), clock: .continuous)
                    let command = tempo.command(entry.command.renamed(ending))
                    // The next command is sent at its time, whatever becomes of this one.
                    try producer.connection.enqueue(command)
                    if !quiet { Output.line("replay  \(TimeText.seconds(time))  \(SafeText.line(command.summary))") }
                }
            }
        }
        do {
            try await producer.flush()
        } catch ClientError.refused(let refusal) {
            Output.error("replay-producer: refused: \(SafeText.line("\(refusal)"))")
        } catch ClientError.partiallyRejected(let refusals, let count) {
            Output.error("replay-producer: \(count) refused, the first: \(SafeText.line("\(refusals[0])"))")
        }
        await producer.close()
    }

    /// Warns of popups among the first ones that the broker already knows, since it shows no id twice.
    private func reportKnownPopups(of entries: [Recording.Entry], to producer: Producer) async {
        let ids = entries.lazy.compactMap { $0.command.renamed(suffix).show?.id }.filter { !$0.isEmpty }
        let admin = AdminClient(producer.connection)
        var known: [String] = []
        for id in ids.prefix(Self.askedPopups) {
            // A client without the right to ask is not warned.
            guard let explanation = try? await admin.explain(id) else { return }
            if explanation.phase != .unknown, !known.contains(id) { known.append(id) }
        }
        guard let first = known.first else { return }
        let words = known.count == 1 ? "`\(first)`" : "`\(first)` and \(known.count - 1) more of the first ids"
        Output.error(
            "replay-producer: the broker knows \(SafeText.line(words)) already, and shows an id once; use --suffix")
    }

    /// The greatest number of popups that it asks about before it begins.
    private static let askedPopups = 20

    private func read() throws(Failure) -> Recording {
        let content: [UInt8]
        do throws(InputError) {
            content = try InputFile(argument: file).content()
        } catch {
            throw Failure(error)
        }
        do throws(Recording.Problem) {
            return try Recording(String(decoding: content, as: UTF8.self))
        } catch {
            throw Failure(.data, "\(file):\(error.line): \(error.message)")
        }
    }
}
