import PopupProtocol

/// A right to read messages about groups, by its name in `security.roles` of the broker.
public enum ReadingRight: String, Sendable {
    /// The right to their states: what they show.
    case watch
    /// The right to their events.
    case events
}

extension BrokerClient {
    /// Checks that the broker lets this client follow groups. Without the right, the broker sends nothing to a stream of
    /// their states or events, and no message says so.
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
        if let pattern = filter.patterns.first(where: { !identity.has(right, toFollow: $0) }) {
            throw ClientError.refused(identity.denial(of: right, toFollow: pattern))
        }
    }
}

extension WireWhoamiResult {
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
    fileprivate func denial(of right: ReadingRight, toFollow pattern: GroupPattern) -> CommandRefusal {
        let subject = user.isEmpty ? "a client without a key" : "the user `\(user)`"
        let groups = GroupPattern.words(forTopicsBeginningWith: pattern.topicBeginning[...])
        return CommandRefusal(
            .permissionDenied,
            "\(subject) needs the right \(right.rawValue) in \(groups); no role of the user gives it there")
    }
}
