import PopupProtocol
import Synchronization
import Testing

@testable import PopupGateway

@Suite("Questions for the time left")
struct TimeCheckTests {
    /// A broker that answers when it is told to.
    private final class Broker: Sendable {
        private let questions = Mutex<[(group: String, answer: CheckedContinuation<Void, Never>)]>([])
        private let arrivals = AsyncStream.makeStream(of: String.self)

        /// Takes a question, and returns when it is answered.
        func ask(_ group: GroupName) async {
            await withCheckedContinuation { answer in
                questions.withLock { $0.append((group.text, answer)) }
                arrivals.continuation.yield(group.text)
            }
        }

        /// Returns the next questions when they have come.
        func next(_ count: Int) async -> Set<String> {
            var groups: Set<String> = []
            for await group in arrivals.stream.prefix(count) { groups.insert(group) }
            return groups
        }

        /// The groups of the questions without an answer.
        var open: Set<String> { questions.withLock { Set($0.map(\.group)) } }

        func answer(_ group: String) {
            let answers = questions.withLock { questions in
                defer { questions.removeAll { $0.group == group } }
                return questions.filter { $0.group == group }.map(\.answer)
            }
            for answer in answers { answer.resume() }
        }
    }

    private let broker = Broker()

    @Test("A few groups are asked about at once; the others wait, each once")
    func few() async {
        let checks = TimeChecks { [broker] in await broker.ask($0) }
        let most = TimeChecks.maxAtOnce
        let groups = (1...(most + 2)).map { "screen/\($0)" }
        for _ in 1...3 { for group in groups { checks.check(group) } }
        var asked = await broker.next(most)
        #expect(asked.count == most && broker.open == asked)
        // One answer makes place for one group.
        let first = asked.removeFirst()
        broker.answer(first)
        let fifth = await broker.next(1)
        #expect(fifth.isDisjoint(with: asked.union([first])))
        #expect(broker.open == asked.union(fifth))
    }

    @Test("A group that is seen again while it is asked about is asked about once more")
    func again() async {
        let checks = TimeChecks { [broker] in await broker.ask($0) }
        checks.check("lobby")
        #expect(await broker.next(1) == ["lobby"])
        for _ in 1...3 { checks.check("lobby") }
        #expect(broker.open == ["lobby"])
        broker.answer("lobby")
        #expect(await broker.next(1) == ["lobby"])
        broker.answer("lobby")
        // What comes next is another group's question, and no third one.
        checks.check("kitchen")
        #expect(await broker.next(1) == ["kitchen"])
        broker.answer("kitchen")
    }
}
