public import PopupBroker
import PopupProtocol
import PopupScheduling
import Synchronization

/// Counts how people answer, group by group.
///
/// It works after the commit, on the broker's thread; whoever asks for the counts may be on any other.
public final class AnswerCount: BrokerPlugin, Sendable {
    /// Different answers that are counted at most; others are left out.
    public static let maxAnswers = 10_000

    /// An action in a group.
    public struct Answer: Sendable, Hashable {
        /// The group.
        public var group: String
        /// The action; empty when none was named.
        public var action: String

        /// An answer.
        public init(group: String, action: String) {
            self.group = group
            self.action = action
        }
    }

    /// What the broker calls it in the log.
    public let name = "answer-count"
    private let state = Mutex<[Answer: Int]>([:])

    /// No answers yet.
    public init() {}

    /// How often each answer was given.
    public var counts: [Answer: Int] { state.withLock { $0 } }

    /// Looks for dismissals.
    public func committed(_ outcome: CommittedBatch) {
        // The scheduler's own events are cheap to look through; their text is made only for those that count.
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
