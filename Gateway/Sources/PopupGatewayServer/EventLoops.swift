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
