import Foundation
import PopupClient
import Synchronization
import Testing

/// A `popup-broker run` on free ports, ended with the test.
final class RunningBroker: Sendable {
    let ingress: String
    let egress: String
    private let process: Process
    private let log: LineQueue

    /// Starts it and waits for its readiness line.
    convenience init(_ arguments: String...) async throws {
        try await self.init(arguments: arguments)
    }

    /// Starts it and waits for its readiness line. What it keeps ends with it, unless arguments or environment say
    /// otherwise.
    convenience init(_ arguments: String..., environment: [String: String]) async throws {
        try await self.init(arguments: arguments, environment: environment)
    }

    init(
        ingress: String = "tcp://127.0.0.1:*", arguments: [String],
        environment: [String: String] = ["POPUP_BROKER_JOURNAL_DURABILITY": "memory"]
    ) async throws {
        let process = Process()
        let output = LineQueue()
        let log = LineQueue()
        process.executableURL = Program.url
        process.arguments =
            ["run", "--ingress", ingress, "--egress", "tcp://127.0.0.1:*"] + arguments
        process.environment = environment
        process.standardOutput = output.pipe
        process.standardError = log.pipe
        try process.run()
        self.process = process
        self.log = log
        output.read()
        log.read()
        let line = try #require(await output.next(), "the broker ended before it was ready")
        let form = /popup-broker ready ingress=(\S+) egress=(tcp:\/\/127\.0\.0\.1:\d+) epoch=\d+/
        let ready = try #require(line.wholeMatch(of: form), "\(line)")
        self.ingress = String(ready.1)
        egress = String(ready.2)
    }

    var endpoints: BrokerEndpoints { BrokerEndpoints(ingress: ingress, egress: egress) }

    var processID: Int32 { process.processIdentifier }

    func signal(_ number: Int32) {
        kill(process.processIdentifier, number)
    }

    /// The next line of the log that contains a text. Fails the test when the log ends before.
    func logged(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        while let line = await log.next() {
            if line.contains(text) { return }
        }
        Issue.record("not logged: \(text)", sourceLocation: sourceLocation)
    }

    /// How it exits.
    func exitStatus() async -> Int32 {
        // The log ends with the process.
        while await log.next() != nil {}
        process.waitUntilExit()
        return process.terminationStatus
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
}

/// The lines of a pipe, as they come.
private final class LineQueue: Sendable {
    let pipe = Pipe()
    private let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (lines, continuation) = AsyncStream.makeStream()
    }

    /// Begins to read, on a thread of its own.
    func read() {
        let handle = pipe.fileHandleForReading
        try? pipe.fileHandleForWriting.close()
        Thread.detachNewThread { [continuation] in
            var rest = Data()
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            continuation.finish()
        }
    }

    func next() async -> String? {
        var iterator = lines.makeAsyncIterator()
        return await iterator.next()
    }
}
