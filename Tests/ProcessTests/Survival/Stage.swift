import Foundation
import TestPrograms

/// A broker with a data directory on two ports of its own, and producers and renderers around it, each a process that
/// may be killed at any time.
final class Stage {
    let folder: TemporaryDirectory
    let ingress: String
    let egress: String
    let facts = Facts()
    private(set) var epochs: [UInt64] = []
    private var brokerProcess: ChildProcess?
    private var survivors: [String: ChildProcess] = [:]
    private let executable: String
    private let arguments: [String]
    private let environment: [String: String]

    /// - Parameters:
    ///   - policies: The configuration's, as YAML.
    ///   - settings: Such as `egress.highWaterMark=10`.
    ///   - launcher: A program and its arguments that becomes the broker, such as prlimit(1).
    ///   - environment: The broker's, in addition.
    ///   - folder: Where everything is; one of its own unless told.
    init(
        durability: String = "full", policies: String, settings: [String] = [], launcher: [String] = [],
        environment: [String: String] = [:], folder: TemporaryDirectory? = nil
    ) throws {
        self.folder = try folder ?? TemporaryDirectory()
        self.environment = environment
        ingress = try FreePort.endpoint()
        egress = try FreePort.endpoint()
        let configuration = try self.folder.write("broker.yaml", "policies:\n" + policies)
        let program = launcher + [Programs.broker]
        executable = program[0]
        arguments =
            program.dropFirst() + [
                "run", "--config", configuration, "--ingress", ingress, "--egress", egress, "--data-dir",
                self.folder.path("data"), "--durability", durability,
            ] + settings.flatMap { ["--set", $0] }
    }

    deinit {
        for process in survivors.values { try? process.killNow() }
        try? brokerProcess?.killNow()
    }

    // MARK: The broker

    var data: String { folder.path("data") }

    /// Starts a broker and waits for nothing.
    func launchBroker() throws {
        brokerProcess = try ChildProcess(executable, arguments, environment: environment)
    }

    /// Waits until the broker that was launched is ready, and returns it.
    @discardableResult
    func brokerIsReady() throws -> BrokerProcess {
        guard let brokerProcess else { throw NotInTime(description: "no broker was launched") }
        let broker = try BrokerProcess(starting: brokerProcess)
        epochs.append(broker.epoch)
        return broker
    }

    @discardableResult
    func startBroker() throws -> BrokerProcess {
        try launchBroker()
        return try brokerIsReady()
    }

    func killBroker() throws {
        try brokerProcess?.killNow()
        brokerProcess = nil
    }

    func signalBroker(_ signal: Int32) {
        brokerProcess?.signal(signal)
    }

    /// Asks it to end, and waits for that.
    func endBroker() throws -> ChildProcess.Result {
        brokerProcess?.signal(SIGTERM)
        return try brokerResult()
    }

    /// Waits for its end.
    func brokerResult() throws -> ChildProcess.Result {
        guard let result = try brokerProcess?.result() else { throw NotInTime(description: "there is no broker") }
        brokerProcess = nil
        return result
    }

    /// Waits until a text is so often in its log.
    func brokerLogs(_ text: String, times: Int = 1) throws {
        try brokerProcess?.wait(for: "to log `\(text)`") { _, log, _ in
            log.ranges(of: text).count >= times ? () : nil
        }
    }

    /// Waits for what its output, its log and its end allow to answer.
    func waitForBroker<Answer>(
        _ purpose: String, _ answer: (String, String, ChildProcess.Exit?) -> Answer?
    ) throws -> Answer {
        guard let brokerProcess else { throw NotInTime(description: "there is no broker") }
        return try brokerProcess.wait(for: purpose, answer)
    }

    /// What it has logged so far.
    var log: String { brokerProcess?.output.text(.error) ?? "" }

    /// What `journal verify` says, and its exit code.
    func verify() throws -> ChildProcess.Result {
        try ChildProcess(Programs.broker, ["journal", "verify", data]).result(before: .after(.seconds(60)))
    }

    func wire(following topics: String...) throws -> Wire {
        try Wire(ingress: ingress, egress: egress, following: topics)
    }

    // MARK: The others

    /// Starts one, in place of the one of that name before.
    func start(_ name: String, _ role: String, _ arguments: String...) throws {
        let facts = facts
        try kill(name)
        survivors[name] = try ChildProcess(Programs.survivor, [role, ingress, egress] + arguments) {
            facts.take($0, of: name)
        }
    }

    func kill(_ name: String) throws {
        try survivors.removeValue(forKey: name)?.killNow()
    }

    func signal(_ name: String, _ signal: Int32) {
        survivors[name]?.signal(signal)
    }
}
