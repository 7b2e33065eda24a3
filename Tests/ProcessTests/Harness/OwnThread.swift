import Dispatch
import Testing

extension Trait where Self == OwnThread {
    /// Each test of the suite runs on a thread of its own, so that it may block while it waits for processes and
    /// sockets, without holding the tests of other suites; a few of them at a time.
    static var ownThread: Self { OwnThread() }
}

/// See `Trait.ownThread`.
struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Turnstile.processTests.enter()
        do {
            try await withTaskExecutorPreference(QueueExecutor()) { try await function() }
        } catch {
            await Turnstile.processTests.leave()
            throw error
        }
        await Turnstile.processTests.leave()
    }
}

private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "process-test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Lets a few in at a time, in the order of their coming.
private actor Turnstile {
    /// The tests wait more than they compute; yet with too many at once each would be late.
    static let processTests = Turnstile(places: 4)

    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) {
        self.places = places
    }

    func enter() async {
        if places > 0 {
            places -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            places += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
