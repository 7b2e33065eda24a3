import PopupAccess
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A broker with users, each with one client, whose commands are numbered so that what came of each is told.
final class GuardedBroker {
    /// A user's client.
    private final class Sender {
        let client: InProcessClient
        let producer: ProducerName
        var sequence: UInt64 = 0

        init(_ client: InProcessClient, _ producer: ProducerName) {
            self.client = client
            self.producer = producer
        }
    }

    /// How a command comes.
    enum Form: CaseIterable {
        case json, jsonBatch, binary, binaryBatch
    }

    let harness: Harness
    private let run: UInt64
    private var senders: [String: Sender] = [:]

    /// A broker with a role for each user; `chief` has one that gives everything, `root` has no restrictions, and clients
    /// without a key have no rights.
    ///
    /// - Parameter run: Another one for each broker of a journal: producers have other names then.
    init(
        _ users: [String: [Grant]], limits: Limits = Limits(), journal: any Journal = MemoryJournal(), run: UInt64 = 7,
        log: LogLines? = nil
    ) throws {
        self.run = run
        var configuration = BrokerConfiguration()
        configuration.access = try Self.rules(users)
        configuration.scheduling = limits
        harness = try Harness(configuration, journal: journal, log: log)
    }

    static func rules(_ users: [String: [Grant]]) throws -> AccessRules {
        var roles = users
        roles["chief"] = [.everything]
        return try AccessRules(
            roles: roles,
            users: roles.keys.sorted().map { .init(name: UserName($0)!, roles: [$0]) }
                + [.init(name: UserName("root")!, roles: nil)],
            anonymous: [])
    }

    static func grant(
        _ rights: [Right], in groups: String..., priority: Int32? = nil, exclusive: Grant.ExclusiveReach = .none,
        own: Bool = false
    ) -> Grant {
        Grant(
            groups: groups.map { GroupPattern($0)! }, rights: Rights(rights), maxPriority: priority,
            exclusive: exclusive, ownPopupsOnly: own)
    }

    /// A client of a user; the name "" is that of one without a key.
    func client(_ user: String) -> InProcessClient { harness.makeClient(user: UserName(user)) }

    private func sender(_ user: String) -> Sender {
        if let sender = senders[user] { return sender }
        let sender = Sender(client(user), ProducerName(high: run, low: UInt64(senders.count + 1)))
        sender.client.subscribe(to: "acks/\(sender.producer)/")
        senders[user] = sender
        return sender
    }

    /// Sends a command of a user. Returns the reason why it was refused and the detail, or `nil`.
    func refusal(_ user: String, _ json: String, as form: Form = .json) throws -> (reason: String, detail: String)? {
        let sender = sender(user)
        try harness.turn()
        sender.sequence += 1
        var command = try Ingress.command(json: Array(json.utf8))
        command.producer = sender.producer.description
        command.sequence = sender.sequence
        let frame: [UInt8] =
            switch form {
            case .json: Array(try command.jsonString().utf8)
            case .jsonBatch: Array("{\"commands\":[\(try command.jsonString())]}".utf8)
            case .binary: try command.serializedBytes()
            case .binaryBatch: try WireBatch.with { $0.commands = [command] }.serializedBytes()
            }
        sender.client.send(frame)
        try harness.turn()
        try harness.advance(by: 100)
        var ack: WireAck?
        for message in harness.receivedMessages(of: sender.client) { ack = try WireAck(serializedBytes: message.body) }
        guard let ack, ack.cumulative >= sender.sequence else { return ("NO ACKNOWLEDGEMENT", "\(ack as Any)") }
        return ack.refusals.first { $0.sequence == sender.sequence }.map { ($0.reason.name, $0.detail) }
    }

    /// Sends a command of a user. Returns the reason why it was refused, or `nil`.
    func send(_ user: String, _ json: String, as form: Form = .json) throws -> String? {
        try refusal(user, json, as: form)?.reason
    }

    /// Sends a query as a user. Returns the answer.
    func ask(_ user: String, _ query: String) throws -> WireResult.OneOf_Result? {
        let client = client(user)
        let name = "\(user.isEmpty ? "nobody" : user)-asks"
        client.subscribe(to: "replies/\(name)/")
        try harness.turn()
        client.send(Array("{\"query\":{\"client\":\"\(name)\",\"nonce\":\"1\",\(query)}}".utf8))
        try harness.turn()
        return try harness.receivedMessages(of: client).last.flatMap {
            try WireReply(serializedBytes: $0.body).reply.result
        }
    }

    /// What was denied so far, as `user right count`.
    var denied: [String] { harness.stats.denied.map { "\($0.user) \($0.right) \($0.count)" } }
}
