public import PopupProtocol

/// The requirement of a subscription before it takes effect.
public enum ReadingDecision: Hashable, Sendable {
    /// The user may read everything that the subscription matches.
    case allowed
    /// The user must be the owner of a producer's name.
    case ownedProducer(ProducerName)
    /// The user must be the owner of a client's name.
    case ownedClient(ClientToken)
    /// The user may not read all that it matches; why, for people.
    case denied(String)
}

/// The extent to which a user may read the groups of a pattern.
public enum ReadingReach: Sendable {
    /// The user may not read at least one of the groups.
    case nothing
    /// The user needs a subscription for each group. One that matches all of them matches more, and is denied.
    case groupByGroup
    /// The user can read all groups with one subscription.
    case allAtOnce
}

extension UserAccess {
    /// Returns how the user may read the groups that a pattern chooses, on the channels that this right opens.
    ///
    /// - Parameters:
    ///   - right: `watch` or `events`.
    ///   - groups: The pattern.
    public func reach(ofReading right: Right, in groups: GroupPattern) -> ReadingReach {
        if isUnrestricted || decision(on: groups.topicBeginning[...], right: right) == .allowed { return .allAtOnce }
        return has(right, in: groups) ? .groupByGroup : .nothing
    }

    /// Decides on a subscription: the bytes with which the topics begin that the user would read.
    ///
    /// All that it matches must be allowed: it is never narrowed. ZeroMQ filters by the beginning of a topic, so that
    /// a subscription to a group always reads the groups below it as well; for reading, a grant for `lobby` is
    /// therefore one for `lobby` and the groups below it.
    ///
    /// A user without restrictions may read everything. But the states that it asks for by `sync/…` go to everybody who
    /// reads under the same name, so that the name must be its own.
    public func decision(onSubscription prefix: String) -> ReadingDecision {
        if isUnrestricted {
            guard case .sync(let client, _, _, _)? = Topic(prefix) else { return .allowed }
            return .ownedClient(client)
        }
        // A message of one frame has its body behind such a byte, and ZeroMQ filters by the beginning of the frame.
        guard !prefix.utf8.contains(StateFrame.separator) else {
            return .denied("\"\(prefix.prefix { $0 != "\0" })\" and a zero byte match no topic")
        }
        guard let slash = prefix.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            return .denied(
                "\"\(prefix)\" matches whole channels; subscribe to a channel and a name, such as state/lobby/")
        }
        guard let channel = Channel(rawValue: String(prefix[..<slash])) else {
            return .denied("\"\(prefix)\" matches no topic: there is no such channel")
        }
        let name = prefix[prefix.index(after: slash)...]
        switch channel {
        case .state, .stateJSON, .stateFrame: return decision(on: name, right: .watch)
        case .events, .eventsJSON: return decision(on: name, right: .events)
        case .feed: return has(.watch, in: .every) ? .allowed : missing(.watch, Self.allGroups)
        case .heartbeat:
            let isReader = [.watch, .events, .render].contains(where: hasAnywhere)
            return isReader ? .allowed : missing(.watch, "some group")
        case .acks, .acksJSON:
            guard name.utf8.count == 33, name.utf8.last == UInt8(ascii: "/"),
                let producer = ProducerName(name.dropLast().utf8.span)
            else { return .denied("acknowledgements are read by one whole name: acks/PRODUCER/") }
            return .ownedProducer(producer)
        case .replies, .repliesJSON:
            return client(in: name).map { .ownedClient($0.client) }
                ?? .denied("replies are read by a client's whole name: replies/CLIENT/")
        case .sync, .syncJSON: return decision(onSync: name)
        }
    }

    /// Returns whose name a subscription reads under: what it needs of a user that may read all groups. `nil` for a
    /// channel of groups.
    public static func owner(ofSubscription prefix: String) -> ReadingDecision? {
        switch readerOfAll.decision(onSubscription: prefix) {
        case .allowed, .denied: nil
        case let owner: owner
        }
    }

    private static let readerOfAll = UserAccess([Grant(groups: [.every], rights: .all)])

    private func decision(onSync name: Substring) -> ReadingDecision {
        guard let (client, rest) = client(in: name) else {
            return .denied("a sync is read by a client's whole name: sync/CLIENT/NONCE/GROUP/")
        }
        // What follows the nonce: the groups whose states it asks for. Without it nothing is asked for.
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return .ownedClient(client) }
        let groups = rest[rest.index(after: slash)...]
        guard groups.utf8.last == UInt8(ascii: "/") else { return .ownedClient(client) }
        if groups == "*/" {
            return has(.watch, in: .every) ? .ownedClient(client) : missing(.watch, Self.allGroups)
        }
        let decision = decision(on: groups, right: .watch)
        return decision == .allowed ? .ownedClient(client) : decision
    }

    /// Decides on the beginning of groups' names, each with a final slash, on a channel that this right opens.
    private func decision(on name: Substring, right: Right) -> ReadingDecision {
        let isAllowed = grants.contains { grant in
            grant.rights.contains(right) && grant.groups.contains { $0.coversTopics(beginningWith: name) }
        }
        if isAllowed { return .allowed }
        return missing(right, GroupPattern.words(forTopicsBeginningWith: name))
    }

    private static var allGroups: String { GroupPattern.words(forTopicsBeginningWith: "") }

    private func missing(_ right: Right, _ groups: String) -> ReadingDecision {
        .denied("needs the right \(right.rawValue) in \(groups); no role of the user gives it there")
    }

    /// Returns the client whose whole name comes first, and the rest of the text.
    private func client(in name: Substring) -> (client: ClientToken, rest: Substring)? {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")), let client = ClientToken(String(name[..<slash]))
        else { return nil }
        return (client, name[name.index(after: slash)...])
    }
}
