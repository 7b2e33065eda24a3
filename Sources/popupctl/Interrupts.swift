import Dispatch
import Foundation

/// The signals SIGINT, SIGTERM and SIGHUP as a stream of their numbers. After `nohup`, SIGHUP stays ignored.
final class Interrupts {
    let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    private let numbers: [Int32]

    init() {
        let (stream, input) = AsyncStream<Int32>.makeStream()
        self.stream = stream
        let before = signal(SIGHUP, SIG_IGN)
        numbers =
            unsafeBitCast(before, to: Int.self) == Self.ignored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
        sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { input.yield(number) }
            source.resume()
            return source
        }
    }

    /// Stops catching the signals: the next one ends the program.
    func release() {
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }

    /// `SIG_IGN` as a number: handlers cannot be compared.
    private static let ignored = 1

    deinit {
        for source in sources { source.cancel() }
    }
}
