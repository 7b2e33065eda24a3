import PopupClient
import PopupProtocol
import Synchronization

/// The rights that the gateway's own user lacks at the broker. Each is told once, because no answer to a reader says it.
final class MissingRights: Sendable {
    private let told = Mutex<Set<ReadingRight>>([])
    private let tell: @Sendable (_ text: String) -> Void

    init(_ tell: @escaping @Sendable (_ text: String) -> Void) {
        self.tell = tell
    }

    /// Follows something at the broker until it ends. If the broker refuses it, it is told what to do, and tried again later:
    /// the user may have the right then.
    ///
    /// - Throws: What `follow` throws, except `ClientError.refused`; `CancellationError`.
    func follow(
        _ right: ReadingRight, pause: Duration = MissingRights.pause, _ follow: () async throws -> Void
    ) async throws {
        while true {
            do {
                return try await follow()
            } catch ClientError.refused(let refusal) {
                report(right, refusal)
                try await Task.sleep(for: pause)
            }
        }
    }

    private func report(_ right: ReadingRight, _ refusal: CommandRefusal) {
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
