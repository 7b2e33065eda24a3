import Foundation
import Glibc

/// The broker's process, and what the system knows of it.
final class SoakedBroker {
    let durability: String
    let ingress: String
    let egress: String

    private let process = Process()
    private let folder: String?
    private let work: URL
    private let pages = sysconf(Int32(_SC_PAGESIZE))

    /// Groups whose newcomer takes the slot at once, and groups with a short line that drops its oldest. Nothing is
    /// paused: where more comes than can be shown, what is paused waits for ever, and the soak for its end.
    private static let configuration = """
        policies:
          - {group: "*", higher: STOP, peers: STOP, lower: STOP}
          - {group: "soak/line/*", higher: STOP, maxWaiting: 8, overflow: DROP_OLDEST}
        """

    /// Starts it and waits until it is ready.
    ///
    /// Ids are remembered for five seconds, not a day: memory has its height soon, and growth after that is a fault.
    init(program: String, durability: String, folder: String?) throws {
        self.durability = durability
        self.folder = folder
        work = FileManager.default.temporaryDirectory.appending(path: "soak-\(getpid())")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        let file = work.appending(path: "popup-broker.yaml")
        try Data(Self.configuration.utf8).write(to: file)

        let output = Pipe()
        process.executableURL = URL(filePath: program)
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        process.arguments =
            [
                "run", "--config", file.path(), "--ingress", "tcp://127.0.0.1:*", "--egress", "tcp://127.0.0.1:*",
                "--durability", durability, "--log-level", "error", "--set", "deduplication.windowMs=5000",
                "--set", "ingress.highWaterMark=100000", "--set", "egress.highWaterMark=200000",
            ] + (folder.map { ["--data-dir", $0] } ?? [])
        try process.run()
        var line = ""
        while !line.hasSuffix("\n") {
            guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
                throw SoakFailure(description: "the broker ended before it was ready")
            }
            line += String(decoding: byte, as: UTF8.self)
        }
        guard let match = line.firstMatch(of: /ingress=(\S+) egress=(\S+)/) else {
            throw SoakFailure(description: "the broker's first line is `\(line)`")
        }
        (ingress, egress) = (String(match.1), String(match.2))
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: work)
    }

    /// What it takes now.
    func sample(at time: Double) throws -> SoakSample {
        guard process.isRunning else {
            throw SoakFailure(description: "the broker ended with \(process.terminationStatus)")
        }
        let id = process.processIdentifier
        let memory = try String(contentsOfFile: "/proc/\(id)/statm", encoding: .utf8).split(separator: " ")
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        let threads = status.firstMatch(of: /Threads:\s+([0-9]+)/).flatMap { Int($0.1) } ?? 0
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count
        return SoakSample(
            time: time, residentBytes: (memory.count > 1 ? Int(memory[1]) ?? 0 : 0) * pages, threads: threads,
            descriptors: descriptors, folderBytes: folderBytes())
    }

    // A file may go while it is looked at.
    private func folderBytes() -> Int {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return 0 }
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
        }
    }

    /// Asks it to end; what was wrong with that.
    func stop() -> [String] {
        process.terminate()
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
            ? [] : ["the broker ended with \(process.terminationStatus) when it was asked to stop"]
    }
}

/// What the broker takes at some time.
struct SoakSample {
    /// In seconds since the traffic began.
    var time: Double
    var residentBytes: Int
    var threads: Int
    var descriptors: Int
    var folderBytes: Int
}
