import Foundation
import Glibc

/// A running `popup-broker run` on free ports of its own.
final class BrokerProcess {
    let process: ChildProcess
    /// Where commands go in, as the readiness line names it.
    let ingress: String
    /// Where everything comes out.
    let egress: String
    let epoch: UInt64

    /// Starts a broker and waits until it says that it is ready. Without `--data-dir` what it keeps ends with it.
    ///
    /// - Parameters:
    ///   - configuration: The path of its file.
    ///   - ingress, egress: where it binds; nil: as its file and environment say.
    ///   - unreadError: What it has as its standard error, instead of a pipe that is read.
    init(
        configuration: String? = nil, ingress: String? = "tcp://127.0.0.1:*", egress: String? = "tcp://127.0.0.1:*",
        arguments: [String] = [], environment: [String: String] = [:], unreadError: UnreadPipe? = nil
    ) throws {
        let durability = arguments.contains("--data-dir") ? "full" : "memory"
        let options = [("--config", configuration), ("--ingress", ingress), ("--egress", egress)]
        process = try ChildProcess(
            Programs.broker,
            ["run"] + options.flatMap { name, value in value.map { [name, $0] } ?? [] } + arguments,
            environment: ["POPUP_BROKER_JOURNAL_DURABILITY": durability].merging(environment) { $1 },
            unread: (nil, unreadError))
        (self.ingress, self.egress, self.epoch) = try Self.ready(process)
    }

    /// One that is being started: waits until it says that it is ready.
    init(starting process: ChildProcess) throws {
        self.process = process
        (self.ingress, self.egress, self.epoch) = try Self.ready(process)
    }

    private static func ready(_ process: ChildProcess) throws -> (ingress: String, egress: String, epoch: UInt64) {
        let ready = try process.wait(for: "to say that it is ready") { output, _, exit in
            let line = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first {
                $0.hasPrefix("popup-broker ready ")
            }
            return line.map(String.init) ?? exit.map { "it ended first: \($0)" }
        }
        guard let match = ready.wholeMatch(of: /popup-broker ready ingress=(\S+) egress=(\S+) epoch=([0-9]+)/),
            let epoch = UInt64(match.3)
        else {
            throw NotInTime(description: "no readiness line: \(ready)\n\(process.output.text(.error))")
        }
        return (String(match.1), String(match.2), epoch)
    }

    /// A client of its own, following these topics.
    func wire(following topics: String...) throws -> Wire {
        try Wire(ingress: ingress, egress: egress, following: topics)
    }

    /// Asks it to end, and waits for it.
    func terminate(_ signal: Int32 = SIGTERM) throws -> ChildProcess.Result {
        process.signal(signal)
        return try process.result()
    }
}
