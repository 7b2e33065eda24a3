import Dispatch
import Foundation

/// The signals SIGINT, SIGTERM and SIGHUP as a stream of their numbers.
final class Interrupts {
    let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    private static let numbers = [SIGINT, SIGTERM, SIGHUP]

    init() {
        let (stream, input) = AsyncStream<Int32>.makeStream()
        self.stream = stream
        sources = Self.numbers.map { number in
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
        for number in Self.numbers { signal(number, SIG_DFL) }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
