import CFuzzer
import Glibc

/// libFuzzer over one target: `fuzz TARGET OPTION… FOLDER…`, with libFuzzer's options. `fuzz snapshots-of FOLDER FOLDER`
/// writes what came of JSON frames as seeds for `snapshots`.
@main
enum Driver {
    /// In seconds of the processor: an input that takes longer is a finding.
    private static let longestRun = 2.0

    private static let target: FuzzTarget = {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
            tell("fuzz: `\(name)` is no target; name one of \(names)")
            exit(64)
        }
        return target
    }()

    static func main() throws {
        if CommandLine.arguments.dropFirst().first == "snapshots-of", CommandLine.arguments.count == 4 {
            return try SnapshotSeeds.write(
                of: CommandLine.arguments[2], to: CommandLine.arguments[3])
        }
        _ = target
        // libFuzzer takes the program's name and what follows the target's.
        var arguments = [strdup("fuzz")] + CommandLine.arguments.dropFirst(2).map { strdup($0) } + [nil]
        var count = CInt(arguments.count - 1)
        let status = arguments.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return LLVMFuzzerRunDriver(&count, &start) { Driver.run($0, $1) }
        }
        exit(status)
    }

    private static func run(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let begin = processorTime()
        do {
            try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
        } catch {
            tell("finding: \(error)")
            abort()
        }
        let seconds = processorTime() - begin
        guard seconds <= longestRun else {
            tell("finding: the input took \(seconds) s of the processor")
            abort()
        }
        return 0
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func tell(_ what: String) {
        let line = Array("\(what)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
