import ArgumentParser
import ExampleSupport
import Foundation
import PopupClient
import SystemCalls

@main
struct LineProducer: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "line-producer",
        abstract: "Turns the lines of a program or a file into popups, by rules.",
        discussion: """
            Reads standard input, a file that grows (--follow), or the output of a program. Without a broker it goes on \
            reading, and the newest \(BrokerSink.capacity) popups wait for one. It never ends the program that it reads, \
            and ends with the exit code of that program.

              make 2>&1 | line-producer --rules rules/build.yaml --echo
              line-producer --rules rules/web.yaml --follow /var/log/nginx/access.log
              line-producer --rules rules/journal.yaml -- journalctl --follow --lines 0
            """,
        version: ProductVersion.text(of: "line-producer"))

    @OptionGroup var endpoints: EndpointOptions

    @Option(
        help: ArgumentHelp(
            "The file with the rules, a YAML list; the README of this example describes it.", valueName: "file"))
    var rules: String

    @Option(help: ArgumentHelp("Read what is appended to this file, also after it is rotated.", valueName: "file"))
    var follow: String?

    @Flag(help: "With --follow: also read what is in the file already.")
    var fromStart = false

    @Option(
        help: ArgumentHelp(
            "Keep popups that the broker has not accepted yet in this file, for the next run.",
            valueName: "file"))
    var outbox: String?

    @Flag(help: "Print each line as it is read.")
    var echo = false

    @Flag(help: "Send nothing; print each command as a line of JSON for `popup-broker simulate`.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "The beginning of the ids of the popups; use another one in each run (default: random).", valueName: "name")
    )
    var name: String?

    @Argument(parsing: .postTerminator, help: "The program whose output is read, after `--`.")
    var program: [String] = []

    func validate() throws {
        guard follow == nil || program.isEmpty else {
            throw ValidationError("Give a file (--follow) or a program (after `--`), not both.")
        }
        guard outbox == nil || !dryRun else { throw ValidationError("Give --outbox or --dry-run, not both.") }
    }

    func perform() async throws {
        // Not in `validate`, which is called before a misspelt option is reported.
        guard follow != nil || !fromStart else { throw Failure(.usage, "--from-start needs --follow") }
        let rules = try Self.read(rules)
        let name = name ?? String(UUID().uuidString.replacing("-", with: "").lowercased().prefix(12))
        let sink = try sink()
        let child = program.isEmpty ? nil : try ChildProgram(program)
        let source: any LineSource =
            if let child {
                OpenLines(child.output)
            } else if let follow {
                try Self.followed(follow, fromStart: fromStart)
            } else {
                OpenLines(OpenFile(descriptor: STDIN_FILENO, name: "standard input"))
            }
        let book = RuleBook(rules, name: name)
        let echo = echo
        let end = try await running { try await Self.produce(book, source, sink, echo: echo) }
        if end != .finished { child?.stop() }
        await sink.close(patience: end == .finished ? Self.patience : Self.shortPatience)
        // The exit code is that of the program whose output was read.
        if let code = await child?.exitCode(), code != 0 { throw ExitCode(code) }
    }

    /// The time without progress after which unsent popups are given up at the end; after a signal, a shorter one.
    private static let patience: Duration = .seconds(5)
    private static let shortPatience: Duration = .seconds(1)

    private func sink() throws -> any PopupSink {
        guard !dryRun else { return JSONSink() }
        let endpoints = endpoints.endpoints(environment: ProcessInfo.processInfo.environment)
        guard let outbox else { return try BrokerSink(endpoints, canWait: program.isEmpty && isFile) }
        return try OutboxSink(endpoints, outbox: outbox)
    }

    /// Whether the lines come from a file, so that no program waits for them to be read.
    private var isFile: Bool {
        var status = stat()
        return follow != nil || fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func followed(_ path: String, fromStart: Bool) throws -> FollowedFile {
        let file = FollowedFile(path: path, fromStart: fromStart)
        guard !file.isDirectory else { throw Failure(InputError(name: path, code: EISDIR)) }
        // Said afterwards: a file that comes from now on is read from its first line.
        if !file.isOpen {
            let fault = FileManager.default.fileExists(atPath: path) ? "cannot be read yet" : "does not exist yet"
            Output.error("line-producer: \(SafeText.line(path)) \(fault); waiting for it")
        }
        return file
    }

    /// Returns a number with its noun: "1 line", "2 lines".
    private static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    private static func produce(
        _ book: RuleBook, _ source: any LineSource, _ sink: any PopupSink, echo: Bool
    ) async throws {
        var (book, source, echo) = (book, source, echo)
        defer {
            Output.error(
                "line-producer: \(counted(book.lines, "line")), \(counted(book.popups, "popup")), \(book.heldBack) held back by limits"
            )
        }
        let start = ContinuousClock.now
        while let lines = try await source.next() {
            for line in lines {
                if echo, let loss = Output.loss(ofLine: line) {
                    // The program that is read does not end because of it.
                    echo = false
                    Output.error("line-producer: \(loss); going on without --echo")
                }
                let time = start.duration(to: .now)
                guard let popup = book.popup(for: line, at: time) else { continue }
                await sink.send(popup, ofLine: book.lines, at: time)
            }
        }
        for popup in book.finish() { await sink.send(popup, ofLine: book.lines, at: start.duration(to: .now)) }
    }

    private static func read(_ path: String) throws(Failure) -> [Rule] {
        let content: [UInt8]
        do throws(InputError) {
            content = try InputFile(path: path).content()
        } catch {
            throw Failure(error)
        }
        do throws(RuleProblems) {
            return try RulesFile.rules(String(decoding: content, as: UTF8.self), file: path)
        } catch {
            throw Failure(.data, error.problems.map { "\($0)" })
        }
    }
}
