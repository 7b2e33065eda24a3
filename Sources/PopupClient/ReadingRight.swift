import PopupProtocol
import PopupValues
import Synchronization

/// A right to read messages about groups, by its name in `security.roles` of the broker.
public enum ReadingRight: String, Sendable {
    /// The right to their states: what they show.
    case watch
    /// The right to their events.
    case events
}

extension BrokerClient {
    /// Checks that the broker lets this client follow groups, before it does. Without the right, the broker sends nothing to
    /// a stream of their states or events. The stream notices that after `limits.syncTimeout`, and ends with the same error.
    ///
    /// The check needs no right. If the broker does not answer it, the call returns.
    ///
    /// - Parameters:
    ///   - right: The right that the stream needs: `watch` for states, `events` for events.
    ///   - groups: Names and patterns, as for the stream.
    /// - Throws: `ClientError`: `refused` (`PERMISSION_DENIED`) with the missing right, `invalidGroup`, `closed`;
    ///   `CancellationError`.
    public func checkRight(_ right: ReadingRight, in groups: [String]) async throws {
        let filter = try GroupFilter(groups)
        let identity: BrokerIdentity
        do {
            identity = try await AdminClient(connection).whoami()
        } catch let error as ClientError {
            switch error {
            case .noReply, .notConnected, .sendTimedOut, .handshakeFailed, .queueFull, .refused: return
            default: throw error
            }
        }
        if let denial = identity.denial(of: right, toFollow: filter) { throw ClientError.refused(denial) }
    }
}

/// The check of the right of a stream from which nothing is heard: it ends a stream without the right. After an answer, it
/// does not ask again before a reconnection.
final class SilenceCheck: Sendable {
    /// A question to the broker. It calls `record` once, with the answer; without a connection, not at all.
    ///
    /// - Returns: Whether the broker is asked.
    typealias Question = @Sendable (_ record: @escaping @Sendable (Answer) -> Void) -> Bool

    /// The answer of the broker.
    enum Answer {
        /// The user has the right, or the broker does not know the question.
        case allowed
        case denied(Refusal)
        /// No answer came.
        case missing
    }

    private enum Progress {
        case unanswered
        case asked
        case answered
    }

    private struct State {
        var progress = Progress.unanswered
        var reconnections = 0
    }

    private let question: Question
    private let state = Mutex(State())

    init(_ question: @escaping Question) {
        self.question = question
    }

    /// Whether the broker has answered since the last reconnection.
    var isAnswered: Bool { state.withLock { $0.progress == .answered } }

    /// Asks the broker, unless a question is open or the broker has answered.
    ///
    /// - Returns: Whether the broker has been asked, now or before; `false` if there is no connection.
    @discardableResult
    func ask(for stream: any Subscriber) -> Bool {
        let reconnections = state.withLock { state -> Int? in
            guard state.progress == .unanswered else { return nil }
            state.progress = .asked
            return state.reconnections
        }
        guard let reconnections else { return true }
        let isAsked = question { answer in
            if let denial = self.record(answer, after: reconnections) { stream.finish(.refused(denial)) }
        }
        if !isAsked { _ = record(.missing, after: reconnections) }
        return isAsked
    }

    /// Records an answer, unless there was a reconnection since the question.
    ///
    /// - Returns: The refusal for which the stream ends.
    private func record(_ answer: Answer, after reconnections: Int) -> Refusal? {
        state.withLock { state in
            guard state.reconnections == reconnections else { return nil }
            switch answer {
            case .missing: state.progress = .unanswered
            case .allowed, .denied: state.progress = .answered
            }
            if case .denied(let denial) = answer { return denial }
            return nil
        }
    }

    /// Records a reconnection: the rights may be others.
    func reconnected() {
        state.withLock { state in
            state.reconnections += 1
            state.progress = .unanswered
        }
    }
}

/// The question for the rights of a connection's user. Streams that ask at the same time share one.
final class IdentityQuestion: Sendable {
    private let asked = Mutex<Task<BrokerIdentity, any Error>?>(nil)

    /// Returns whether the user of a connection may follow groups.
    func answer(
        on connection: BrokerConnection, _ right: ReadingRight, _ filter: GroupFilter
    ) async -> SilenceCheck.Answer {
        do {
            let denial = try await identity(on: connection).denial(of: right, toFollow: filter)
            return denial.map { .denied($0) } ?? .allowed
        } catch ClientError.refused(let refusal) where refusal.reason != .overload {
            return .allowed
        } catch {
            return .missing
        }
    }

    private func identity(on connection: BrokerConnection) async throws -> BrokerIdentity {
        let question = asked.withLock { asked in
            if let asked { return asked }
            let question = Task {
                defer { self.asked.withLock { $0 = nil } }
                return try await AdminClient(connection).whoami()
            }
            asked = question
            return question
        }
        return try await question.value
    }
}

extension BrokerIdentity {
    /// Returns the refusal of a stream of groups; `nil` if the user has the right to all of them.
    func denial(of right: ReadingRight, toFollow filter: GroupFilter) -> Refusal? {
        filter.patterns.first { !has(right, toFollow: $0) }.map { denial(of: right, toFollow: $0) }
    }

    /// Whether the user may subscribe to the groups of a pattern. As at the broker, one grant must allow all of it.
    fileprivate func has(_ right: ReadingRight, toFollow pattern: GroupPattern) -> Bool {
        if unrestricted { return true }
        return grants.contains { grant in
            grant.rights.contains(right.rawValue)
                && grant.groups.contains {
                    GroupPattern($0)?.coversTopics(beginningWith: pattern.topicBeginning) == true
                }
        }
    }

    /// Returns the refusal, in the words of the broker.
    fileprivate func denial(of right: ReadingRight, toFollow pattern: GroupPattern) -> Refusal {
        let subject = user.isEmpty ? "a client without a key" : "the user `\(user)`"
        let groups = GroupPattern.words(forTopicsBeginningWith: pattern.topicBeginning[...])
        return Refusal(
            .permissionDenied,
            "\(subject) needs the right \(right.rawValue) in \(groups); no role of the user gives it there")
    }
}
