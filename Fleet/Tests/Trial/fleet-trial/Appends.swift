internal import ArgumentParser
internal import EtcdLog
internal import Foundation
internal import PopupJournal

/// Appends of one size, one after another, to a log of their own.
struct Appends: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure appends of one size, one after another.")
    @Option var endpoints: String
    @Option(help: "The size of a batch.") var bytes = 65_536
    @Option var count = 500

    func run() async throws {
        let log = try EtcdLog(
            EtcdSettings(
                endpoints: endpoints.split(separator: ",").map(String.init),
                shard: "appends-\(UInt64.random(in: 0 ... .max))", node: "appends"))
        defer { log.close() }
        try await log.create(wall: 1, time: 1)
        let owner = LogOwner(high: 1, low: 1)
        guard try await log.claim(as: owner), var head = try await log.head() else { throw ExitCode(1) }
        let takeOver = HeadWrite.takeOver(after: head, by: owner, epoch: 1, at: 1, horizon: 1)
        guard takeOver.outcome(of: try await log.write(takeOver)) == .committed else { throw ExitCode(1) }
        head = takeOver.new
        let commands = [UInt8](repeating: 7, count: bytes)
        var times: [Duration] = []
        for _ in 0..<count {
            let began = ContinuousClock.now
            let write = HeadWrite.append(commands, after: head, at: 1, horizon: 1)
            guard write.outcome(of: try await log.write(write)) == .committed else { throw ExitCode(1) }
            times.append(ContinuousClock.now - began)
            head = write.new
        }
        let total = times.reduce(.zero, +) / .seconds(1)
        times.sort()
        func milliseconds(_ share: Double) -> String {
            String(format: "%.2f", times[Int(Double(count - 1) * share)] / .milliseconds(1))
        }
        print(
            "\(bytes) bytes, \(count) times: p50 \(milliseconds(0.5)) ms, p99 \(milliseconds(0.99)) ms, "
                + String(format: "%.1f MB/s", Double(bytes * count) / total / 1e6))
    }
}
