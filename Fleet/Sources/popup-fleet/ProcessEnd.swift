internal import Dispatch
internal import Foundation
internal import Synchronization

/// A fact that holds from some moment on.
final class Switch: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

/// The end of the process, whatever is under way: nothing is lost that was acknowledged.
enum ProcessEnd {
    /// The time in seconds after a signal, or after the end of the node or of its broker, at which the process ends.
    static let patience = 10.0
    /// The exit code if that is not known then.
    static let unfinished: Int32 = 75

    /// Ends the process after the time, unless it has ended by itself.
    static func within(_ code: Int32 = unfinished) {
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { _exit(code) }
    }
}

/// The signals that ask a process to stop, and are trapped as long as this exists.
struct StopSignals {
    private let sources: [any DispatchSourceSignal]

    /// Calls a function at each of them, on another thread.
    init(_ body: @escaping @Sendable () -> Void) {
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler(handler: body)
            source.resume()
            return source
        }
    }

    /// Hears them no more.
    func end() { for source in sources { source.cancel() } }
}

/// The messages of a command to operators.
enum Say {
    static func sentence(_ sentence: String) {
        // A reader that is gone is no reason to fail.
        try? FileHandle.standardError.write(contentsOf: Data("popup-fleet: \(sentence)\n".utf8))
    }
}
