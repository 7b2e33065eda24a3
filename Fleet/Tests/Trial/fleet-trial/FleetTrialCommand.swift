internal import ArgumentParser
internal import EtcdLog
internal import FleetService
internal import FleetTrial
internal import Foundation
internal import PopupFleet
internal import PopupJournal

/// A node over a small state machine, for tests: as owner it appends numbered batches, one after another.
@main
struct FleetTrialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet-trial",
        abstract: "Runs a node of a trial, checks what its nodes told, or measures appends.",
        subcommands: [Node.self, Check.self, History.self, Appends.self])
}

struct Node: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run a node until it ends; SIGTERM: hand over.")
    @Option var endpoints: String
    @Option var shard = "main"
    @Option(help: "The number of the process, of which no two are the same.") var number: UInt64
    @Option(help: "0 for the node that is to claim first.") var rank = 0
    @Option(help: "After how many entries a snapshot is due.") var snapshotEntries = 1_000_000
    @Option(help: "The size of a batch in commands of 16 bytes.") var batch = 3
    @Option(help: "The pause between batches, in ms.") var pause = 5

    func run() async throws {
        let log = try EtcdLog(
            EtcdSettings(
                endpoints: endpoints.split(separator: ",").map(String.init), shard: shard, node: "node-\(number)"))
        var random = SystemRandomNumberGenerator()
        let identity = LogOwner(high: random.next(), low: random.next())
        let runner = FleetRunner<NumberMachine>(
            identity, rank: rank, log: log, snapshotEntries: snapshotEntries)
        let appending = Task { await append(with: runner) }
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        source.setEventHandler { Task { await runner.handOver() } }
        source.resume()
        let reason = await runner.run()
        appending.cancel()
        say("ended \(reason)")
        throw ExitCode(reason.exitCode)
    }

    private func append(with runner: FleetRunner<NumberMachine>) async {
        var next = number << 32
        var epoch: UInt64 = 0
        while !Task.isCancelled {
            if let words = await runner.words {
                if words.voice.epoch != epoch {
                    epoch = words.voice.epoch
                    say(TrialRecord.owns(epoch: epoch).line)
                }
                say(words)
            }
            if await runner.canAppend {
                let commands = (0..<batch).map { _ in
                    next += 1
                    return NumberMachine.Command(number: next, delay: .random(in: 0...5000))
                }
                for command in commands { say(TrialRecord.offered(command.number).line) }
                if case .committed(let index) = await runner.append(NumberMachine.bytes(of: commands)) {
                    for command in commands { say(TrialRecord.acknowledged(command.number, index: index).line) }
                }
            }
            try? await Task.sleep(for: .milliseconds(pause))
        }
    }

    private func say(_ words: FleetRunner<NumberMachine>.Words) {
        let voice = words.voice
        say(
            TrialRecord.published(
                epoch: voice.epoch, index: voice.index, time: voice.time, digest: words.state.digest
            ).line)
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}

struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Compare what nodes told with the log.")
    @Option var endpoints: String
    @Option var shard = "main"
    @Argument(help: "What each process wrote to its standard output.") var files: [String]

    func run() async throws {
        var entries: [LogEntry] = []
        var snapshots: [LogSnapshot] = []
        try await readLog(endpoints: endpoints, shard: shard, begin: { snapshots = $0 }) { entries.append($0) }
        let nodes = try files.map { file in
            try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").compactMap(TrialRecord.init(line:))
        }
        let problems = try TrialCheck.problems(of: entries, after: snapshots, and: nodes)
        for problem in problems { print(problem) }
        guard problems.isEmpty else { throw ExitCode(1) }
        let voices = nodes.joined().count { if case .published = $0 { true } else { false } }
        let acknowledged = nodes.joined().count { if case .acknowledged = $0 { true } else { false } }
        let tenures = entries.count { $0.kind == .takeOver }
        print(
            "entries \(entries.first?.index ?? 0) to \(entries.last?.index ?? 0) snapshots \(snapshots.count) "
                + "tenures \(tenures) acknowledged \(acknowledged) published \(voices)")
    }
}
