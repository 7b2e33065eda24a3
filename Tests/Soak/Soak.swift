import Foundation
import Glibc

/// Keeps a broker at half of the throughput that it reaches here, for long, with traffic of all kinds, and sees whether
/// it stays as it is: nothing lost, no growth of memory, threads, file descriptors or disk, no slower answers.
///
///     soak BROKER MINUTES memory|normal|full [FOLDER]
///
/// Prints a line now and then, and the verdict; ends with 0 when all held. BROKER is the program; FOLDER keeps its data.
@main
enum Soak {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst().map { $0 }
        guard (3...4).contains(arguments.count), let minutes = Double(arguments[1]), minutes > 0 else {
            tell("usage: soak BROKER MINUTES memory|normal|full [FOLDER]")
            exit(64)
        }
        do {
            let broker = try SoakedBroker(
                program: arguments[0], durability: arguments[2], folder: arguments.dropFirst(3).first)
            exit(try soak(broker, seconds: minutes * 60) ? 0 : 1)
        } catch {
            tell("failed: \(error)")
            exit(70)
        }
    }

    private static func soak(_ broker: SoakedBroker, seconds: Double) throws -> Bool {
        let traffic = try Traffic(broker)
        let most = try traffic.measure(seconds: min(10, seconds / 6))
        tell("\(broker.durability): \(Int(most)) popups a second at most, \(Int(most / 2)) from now on")
        traffic.begin(rate: most / 2)

        var record = SoakRecord()
        let start = Clock.seconds()
        let interval = max(1, min(60, seconds / 12))
        var nextLine = start + interval
        // A machine that is busy with other things takes fewer samples in the same time: then it goes on for some more.
        let end = start + seconds
        var last = seconds < Double(SoakRecord.leastSamples) ? end : end + seconds
        while Clock.seconds() < last {
            if record.isEnough { last = min(last, max(end, Clock.seconds())) }
            try traffic.run(until: min(Clock.seconds() + 1, last))
            record.add(try broker.sample(at: Clock.seconds() - start), traffic.takeLatencies())
            if Clock.seconds() >= nextLine {
                nextLine += interval
                tell(record.line(traffic.tally))
            }
        }
        try traffic.finish()
        let exit = broker.stop()
        return report(traffic.tally.problems + record.problems() + exit, record, traffic.tally)
    }

    private static func report(_ problems: [String], _ record: SoakRecord, _ tally: TrafficTally) -> Bool {
        tell(record.summary(tally))
        for problem in problems { tell("NOT AS IT SHOULD BE: \(problem)") }
        tell(problems.isEmpty ? "held" : "did not hold")
        return problems.isEmpty
    }

    private static func tell(_ words: String) {
        let line = Array("soak: \(words)\n".utf8)
        _ = write(STDOUT_FILENO, line, line.count)
    }
}

/// Something without which it can't go on.
struct SoakFailure: Error, CustomStringConvertible {
    let description: String
}

/// The time since some moment, which nobody sets.
enum Clock {
    static func seconds() -> Double { Double(nanoseconds()) / 1e9 }

    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
