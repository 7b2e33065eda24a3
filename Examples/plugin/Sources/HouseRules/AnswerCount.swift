public import PopupBroker
import PopupProtocol
import PopupScheduling
import Synchronization

/// A plugin that counts how users answer, group by group.
///
/// It works after the commit, on the broker's thread. The counts can be read on any thread.
public final class AnswerCount: BrokerPlugin, Sendable {
    /// The greatest number of different answers that are counted; others are left out.
    public static let maxAnswers = 10_000

    /// An action in a group.
    public struct Answer: Sendable, Hashable {
        /// The group.
        public var group: String
        /// The action; empty if there was none.
        public var action: String

        /// Creates an answer.
        public init(group: String, action: String) {
            self.group = group
            self.action = action
        }
    }

    /// The name of the plugin in the log.
    public let name = "answer-count"
    private let state = Mutex<[Answer: Int]>([:])

    /// Creates a plugin without answers.
    public init() {}

    /// The number of times that each answer was given.
    public var counts: [Answer: Int] { state.withLock { $0 } }

    /// Counts the dismissals of a batch.
    public func committed(_ outcome: CommittedBatch) {
        // To look through the scheduler's own events is cheap. Only the text of those that count is made.
        for event in outcome.outcome.events {
            guard case .closed(.dismissed, let action, _) = event.kind else { continue }
            let answer = Answer(group: outcome.outcome.string(event.group), action: outcome.outcome.string(action))
            state.withLock { counts in
                guard counts[answer] != nil || counts.count < Self.maxAnswers else { return }
                counts[answer, default: 0] += 1
            }
        }
    }
}
