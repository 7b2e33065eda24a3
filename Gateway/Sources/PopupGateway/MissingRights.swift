import PopupClient
import PopupProtocol
import Synchronization

/// The rights that the gateway's own user lacks at the broker. The operator is told each one once: no reader learns of it.
final class MissingRights: Sendable {
    private let told = Mutex<Set<ReadingRight>>([])
    private let tell: @Sendable (_ text: String) -> Void

    init(_ tell: @escaping @Sendable (_ text: String) -> Void) {
        self.tell = tell
    }

    /// Reads a source of the broker until it ends. If the broker refuses it, the operator is told what to do, and after a
    /// pause another source is read: the user may have the right then.
    ///
    /// - Throws: What `read` and `reopen` throw, except `ClientError.refused` of `read`; `CancellationError`.
    func follow<Source: Sendable>(
        _ right: ReadingRight, _ first: Source, pause: Duration = MissingRights.pause,
        read: (Source) async throws -> Void, reopen: () throws -> Source
    ) async throws {
        var source = first
        while true {
            do {
                return try await read(source)
            } catch ClientError.refused(let refusal) {
                report(right, refusal)
                try await Task.sleep(for: pause)
                source = try reopen()
            }
        }
    }

    private func report(_ right: ReadingRight, _ refusal: Refusal) {
        guard told.withLock({ $0.insert(right).inserted }) else { return }
        let what = right == .watch ? "states" : "events"
        tell(
            """
            the broker sends this gateway no \(what), and its streams stay empty: \(refusal.detail). Give the gateway's \
            user a role with `\(right.rawValue)` in `security.roles` of the broker, for all groups that tokens may name
            """)
    }

    static let pause: Duration = .seconds(30)
}
