internal import NIOCore
internal import NIOPosix
internal import Synchronization

extension EventLoopGroup {
    /// Returns the number of event loops that do nothing for a second although they are asked to.
    func hangingLoops(within time: Duration = .seconds(1)) async -> Int {
        let answers = Answers()
        var loops = 0
        for loop in makeIterator() {
            loops += 1
            loop.execute { answers.count() }
        }
        let end = ContinuousClock.now + time
        while answers.number < loops, .now < end { try? await Task.sleep(for: .milliseconds(5)) }
        return loops - answers.number
    }
}

/// The number of event loops that have answered.
private final class Answers: Sendable {
    private let answered = Atomic(0)

    var number: Int { answered.load(ordering: .relaxed) }

    func count() { answered.add(1, ordering: .relaxed) }
}

/// An event loop as the executor of tasks that write to its channels: their bytes need no other thread.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    private init(_ loop: any EventLoop) {
        self.loop = loop
    }

    // Tasks refer to an executor without retaining it: these are never released.
    private static let executors: [ObjectIdentifier: EventLoopExecutor] = Dictionary(
        uniqueKeysWithValues: MultiThreadedEventLoopGroup.singleton.makeIterator().map {
            (ObjectIdentifier($0), EventLoopExecutor($0))
        })

    /// Returns the executor of a loop; `nil` for a loop that is not one of the group of the process.
    static func of(_ loop: any EventLoop) -> EventLoopExecutor? { executors[ObjectIdentifier(loop)] }

    func enqueue(_ job: UnownedJob) {
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}
