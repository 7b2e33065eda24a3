import Foundation
import PopupBroker
import PopupProtocol
import PopupScheduling
import SchemaReading
import SwiftProtobuf
import Testing

/// Numbers at the edges of their types on their whole way: admission, journal, scheduler, states, queries.
@Suite("A number at the edge of its type")
struct NumberEdgesTests {
    /// What a command needs around its number, by the way to it: each part as far as the way goes through it.
    static let surroundings: [(path: String, fields: String)] = [
        ("show", #"{"id":"B","group":"g","priority":9}"#),
        ("show.flow", #"{"key":"f"}"#),
        ("update", #"{"id":"A","restartTimer":true}"#),
        ("dismiss", #"{"id":"A"}"#),
        ("clear.selector", #"{"group":"g"}"#),
        ("suspend", #"{"group":"g","token":"t"}"#),
        ("setPolicy", #"{"group":"g"}"#),
        ("setPolicy.gapMinMs", #"{"gapMaxMs":4294967295}"#),
        ("setPolicy.caps[0]", #"{"most":1,"perMs":1}"#),
        ("setPolicy.quiet[0]", #"{"from":"00:00","to":"23:59","timeZone":"UTC"}"#),
        ("answer", #"{"id":"O","client":"r"}"#),
        ("query", #"{"client":"c","nonce":"n"}"#),
        ("query.list.selector", #"{"group":"g"}"#),
        ("query.count.selector", #"{"group":"g"}"#),
        ("query.history", #"{"group":"g"}"#),
        ("sequence", #"{"producer":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","show":{"id":"B","group":"g"}}"#),
    ]

    /// The command in JSON with the number at the place.
    static func command(_ place: NumberPlace, _ value: Int128) throws -> [UInt8] {
        var command = try object(place.json("\"\(value)\""))
        for (path, fields) in surroundings where place.path == path || place.path.hasPrefix(path + ".") {
            let names = path.replacing("[0]", with: "").split(separator: ".").map(String.init)
            // The last name of a way to the number itself is that of a neighbour.
            let way = place.path == path ? Array(names.dropLast()) : names
            command = try adding(object(Array(fields.utf8)), to: command, at: way[...])
        }
        return Array(try JSONSerialization.data(withJSONObject: command, options: .sortedKeys))
    }

    private static func object(_ json: [UInt8]) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
    }

    /// Adds fields that are not there to the message at the end of the way; of a list to its only element.
    private static func adding(
        _ fields: [String: Any], to message: [String: Any], at way: ArraySlice<String>
    ) throws -> [String: Any] {
        guard let name = way.first else { return message.merging(fields) { present, _ in present } }
        var message = message
        if let list = message[name] as? [[String: Any]] {
            message[name] = [try adding(fields, to: #require(list.first), at: way.dropFirst())]
        } else {
            let inner = try #require(message[name] as? [String: Any])
            message[name] = try adding(fields, to: inner, at: way.dropFirst())
        }
        return message
    }

    /// The edges of the type, of signed numbers in it, and of what policies allow.
    static func edges(_ range: ClosedRange<Int128>) -> [Int128] {
        let edges: [Int128] = [-1 << 31, -1, 0, 1, 1 << 31, 1 << 32, (1 << 53) + 1, 1 << 63, 1 << 64]
        return Set(edges.flatMap { [$0 - 1, $0] } + [1, 10, 100, 10_000]).filter(range.contains).sorted()
    }

    @Test("the surroundings belong to places of the schema")
    func surroundings() {
        for (path, _) in Self.surroundings {
            #expect(NumberPlace.all.contains { $0.path == path || $0.path.hasPrefix(path + ".") }, "\(path)")
        }
    }

    @Test("changes nothing in what goes on, whatever the clock says, in both encodings", arguments: NumberPlace.all)
    func edges(place: NumberPlace) throws {
        var isAccepted = false
        for (index, edge) in Self.edges(place.range).enumerated() {
            let json = try Self.command(place, edge)
            let binary: [UInt8] = try WireCommand(jsonUTF8Bytes: json).serializedBytes()
            // Now, and as far from it as a clock is believed; the encodings in both orders.
            for (turn, start) in [0, 1_800_000_000_000, TimeLimits.latest].enumerated() {
                let broker = try Harness(subscriptions: ["state+json/", "events/", "acks/"], at: start)
                try broker.send(
                    #"{"lease":{"client":"r","groups":["g","offered"]}}"#,
                    #"{"show":{"id":"O","group":"offered","offerMs":4294967295}}"#,
                    #"{"show":{"id":"A","group":"g","durationMs":4294967295,"actions":[{"id":"ok"}]}}"#)
                let refused = broker.stats.refused
                let frames = (index + turn) % 2 == 0 ? [json, binary] : [binary, json]
                broker.client.send(frames[0])
                try broker.turn()
                if broker.stats.refused == refused { isAccepted = true }
                broker.client.send(frames[1])
                try broker.send(#"{"show":{"id":"C","group":"g","priority":1,"durationMs":4294967295,"delayMs":1}}"#)
                try broker.advance(by: 10)
                try broker.send(
                    #"{"query":{"client":"c","nonce":"n","explain":{"id":"B"}}}"#, #"{"advance":{"group":"g"}}"#,
                    #"{"query":{"client":"c","nonce":"n","peek":{"group":"g"}}}"#)
                // What is good beside it is taken.
                try broker.send(#"{"show":{"id":"D","group":"other"}}"#)
                #expect(broker.stats.popups > 0, "\(String(decoding: json, as: UTF8.self))")
            }
        }
        #expect(isAccepted, "no command with a number here is accepted: its surroundings are wrong")
    }
}
