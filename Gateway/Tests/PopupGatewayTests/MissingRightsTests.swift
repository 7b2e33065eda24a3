import PopupClient
import PopupProtocol
import Synchronization
import Testing

@testable import PopupGateway

@Suite("Rights that the gateway's user lacks at the broker")
struct MissingRightsTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        func write(_ line: String) { lines.withLock { $0.append(line) } }
        var text: [String] { lines.withLock { $0 } }
    }

    private let log = Log()
    private let refusal = ClientError.refused(Refusal(.permissionDenied, "the user `web` needs the right"))

    @Test("What the broker refuses is tried again, and the log says once for each right what to do")
    func refused() async throws {
        let rights = MissingRights { [log] in log.write($0) }
        for right in [ReadingRight.watch, .events, .watch] {
            var tries = 0
            try await rights.follow(right, 1, pause: .zero) { source in
                tries += 1
                #expect(source == tries)
                if tries < 3 { throw refusal }
            } reopen: {
                tries + 1
            }
            #expect(tries == 3)
        }
        #expect(log.text.count == 2)
        for (line, right) in zip(log.text, ["watch", "events"]) {
            #expect(line.contains("the user `web` needs the right") && line.contains("a role with `\(right)`"))
        }
    }

    @Test("Another end is passed on, and nothing is said")
    func others() async throws {
        let rights = MissingRights { [log] in log.write($0) }
        await #expect {
            try await rights.follow(.watch, 1, pause: .zero) { _ in
                throw ClientError.closed
            } reopen: {
                2
            }
        } throws: { error in
            if case ClientError.closed = error { true } else { false }
        }
        #expect(log.text.isEmpty)
    }

    @Test("Who waits to try again can be cancelled")
    func cancelled() async {
        let rights = MissingRights { [log] in log.write($0) }
        let following = Task { [refusal] in
            try await rights.follow(.events, 1, pause: .seconds(3600)) { _ in
                throw refusal
            } reopen: {
                2
            }
        }
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }
}
