import PopupAccess
@testable import PopupBroker
import PopupProtocol
import PopupScheduling
@testable import PopupState
import SwiftProtobuf
import Testing

/// Two users of a broker with keys, of which one names fifty producers and fills a small table.
@Suite("Shares of users")
struct UserShareTests {
    /// How the frames of a show come.
    enum Form: CaseIterable {
        case json, jsonBatch, binary
    }

    private static let rights: [String: [Grant]] = [
        "many": [GuardedBroker.grant([.show, .dismiss, .query], in: "*")],
        "one": [GuardedBroker.grant([.show, .dismiss, .query], in: "*")],
    ]

    private static var limits: Limits {
        var limits = Limits()
        limits.popups = 45
        return limits
    }

    /// Sends a show of a user under a name of this number.
    private func show(_ id: String, named name: UInt64, of user: InProcessClient, as form: Form) throws {
        let command = WireCommand.with {
            $0.producer = ProducerName(high: 40, low: name).description
            $0.show = .with {
                $0.id = id
                $0.group = "g"
                $0.text = "t"
            }
        }
        switch form {
        case .json: user.send(Array(try command.jsonString().utf8))
        case .jsonBatch: user.send(Array("{\"commands\":[\(try command.jsonString())]}".utf8))
        case .binary: user.send(try command.serializedBytes())
        }
    }

    private func shown(in broker: GuardedBroker) throws -> Set<String> {
        let list = try broker.ask("one", #""list":{"limit":100}"#)
        guard case .list(let found)? = list else { return [] }
        return Set(found.popups.map(\.id))
    }

    private func fill(_ broker: GuardedBroker, as form: Form) throws {
        let many = broker.client("many")
        for number in 1...50 {
            try show("f\(number)", named: UInt64(number), of: many, as: form)
            try broker.harness.turn()
        }
    }

    @Test("a user with fifty names leaves room for another, also after a restart", arguments: Form.allCases)
    func manyNames(form: Form) throws {
        let journal = KeepingJournal()
        let first = try GuardedBroker(Self.rights, limits: Self.limits, journal: journal)
        try fill(first, as: form)
        // Nine times eight is more than eight times what is free: the 42nd is refused, and all that come after it.
        let filled = Set((1...41).map { "f\($0)" })
        #expect(try shown(in: first) == filled)
        // A refusal for lack of space is told, and settles nothing: the command may be sent again.
        let refusal = try #require(try first.refusal("many", #"{"show":{"id":"more","group":"g","text":"t"}}"#))
        #expect(refusal.reason == "NO ACKNOWLEDGEMENT" && refusal.detail.contains("reason: OVERLOAD"))
        #expect(refusal.detail.contains("all its producers together hold more than 8 times what is free"))
        let state = first.harness.schedulerState()
        try first.harness.close()

        for sequence in [0, journal.batches.count / 2, journal.batches.count] {
            let copy = journal.copy()
            if sequence > 0 { try copy.makeSnapshot(of: sequence) }
            let second = try GuardedBroker(Self.rights, limits: Self.limits, journal: copy, run: 8)
            #expect(second.harness.schedulerState() == state, "with the snapshot of batch \(sequence)")
            try fill(second, as: form)
            #expect(try shown(in: second) == filled)
            #expect(try second.send("one", #"{"show":{"id":"mine","group":"g","text":"t"}}"#) == nil)
            #expect(try shown(in: second) == filled.union(["mine"]))
            try second.harness.close()
        }
    }

    @Test("without users, names are all that counts")
    func withoutUsers() throws {
        var configuration = BrokerConfiguration()
        configuration.scheduling = Self.limits
        let harness = try Harness(configuration)
        for number in 1...50 as ClosedRange<UInt64> {
            try harness.send(
                #"{"producer":"\#(ProducerName(high: 40, low: number))","show":{"id":"f\#(number)","group":"g"}}"#)
        }
        #expect(harness.stats.popups == 45)
    }

    @Test("the limits of a run tell whether users have shares, and only if they have")
    func settings() throws {
        var configuration = BrokerConfiguration()
        let without = JournaledSettings(configuration)
        configuration.access = try GuardedBroker.rules(Self.rights)
        let with = JournaledSettings(configuration)
        #expect(!without.limits.usersHaveShares && with.limits.usersHaveShares)
        #expect(with.bytes.count == without.bytes.count + 8)
        #expect(try JournaledSettings(with.bytes[...]) == with)
        #expect(try JournaledSettings(with.bytes.dropLast(8)) == without)
        for other in [0, 2] as [UInt8] {
            var bytes = with.bytes
            bytes[bytes.count - 8] = other
            #expect(throws: NewerContentError.self) { try JournaledSettings(bytes[...]) }
        }
    }
}
