import PopupProtocol
import SchemaReading
import SwiftProtobuf
import Testing

@Suite("The protocol's documentation")
struct ProtocolDocumentationTests {
    private static let parsed = Result {
        (document: try DocumentedTables(path: "Documentation/Protocol.md"), schema: try SchemaFile())
    }
    private let document: DocumentedTables
    private let schema: SchemaFile

    init() throws {
        (document, schema) = try Self.parsed.get()
    }

    @Test("has every field of every message, by its JSON name and type")
    func fields() {
        let documented = document.rows(firstColumn: "field").mapValues { $0.map { "\($0[0]): \($0[1])" } }
        let written = schema.messages.filter { !$0.value.isEmpty }.mapValues { $0.map { "\($0.jsonName): \($0.type)" } }
        #expect(documented == written)
    }

    @Test("has every value of every enum")
    func values() {
        let documented = document.rows(firstColumn: "value").mapValues { $0.map { $0[0] } }
        #expect(documented == schema.enums.mapValues { $0.map(\.name) })
    }

    @Test(
        "describes the code: the generated messages have the schema's fields and numbers",
        arguments: GeneratedMessage.all)
    func generatedFields(message: GeneratedMessage) throws {
        let fields = try #require(schema.messages[message.name])
        #expect(message.fieldNames == Set(fields.map(\.name)))
        #expect(try message.fieldNames(fields.map(\.number)) == fields.map(\.name))
    }

    @Test("describes the code: all messages with fields are compared")
    func allMessages() {
        let compared = Set(GeneratedMessage.all.map(\.name))
        #expect(compared == Set(schema.messages.filter { !$0.value.isEmpty }.keys))
    }

    @Test("describes the code: the generated enums have the schema's values", arguments: GeneratedEnum.all)
    func generatedValues(generated: GeneratedEnum) throws {
        let values = try #require(schema.enums[generated.name])
        #expect(generated.rawValues == values.map(\.number))
        for value in values { #expect(try generated.rawValue(value.name) == value.number) }
    }

    @Test("describes the code: all enums are compared")
    func allEnums() {
        #expect(Set(GeneratedEnum.all.map(\.name)) == Set(schema.enums.keys))
    }

    @Test("has every channel with its topics, body and encoding")
    func channels() throws {
        let rows = try #require(document.rows(firstColumn: "channel")["Topics and channels"])
        #expect(rows.map { $0[0] } == Channel.allCases.map(\.rawValue))
        for (row, channel) in zip(rows, Channel.allCases) {
            let parameters =
                switch channel.parameters {
                case .none: ""
                case .group: "GROUP/"
                case .producer: "PRODUCER/"
                case .query: "CLIENT/NONCE/"
                case .snapshot: "CLIENT/NONCE/GROUP/"
                }
            #expect(row[1] == channel.prefix + parameters)
            #expect(schema.messages[row[2]] != nil)
            #expect(channel.rawValue.hasSuffix("+json") == (channel.encoding == .json))
        }
    }

    @Test("has every command")
    func commands() throws {
        let rows = try #require(document.rows(firstColumn: "command")["Commands"])
        let beside = ["producer", "sequence", "by"]
        let fields = try #require(schema.messages["Command"]).filter { !beside.contains($0.name) }
        #expect(rows.map { [$0[0], $0[1]] } == fields.map { [$0.jsonName, $0.type] })
    }

    @Test("has the limits of the code")
    func limits() throws {
        let rows = try #require(document.rows(firstColumn: "limit")["Names"])
        #expect(
            rows.map { Int($0[1]) } == [
                GroupName.maxSegments, GroupName.maxSegmentBytes, GroupName.maximumBytes,
                WireLimits.maxIDBytes, WireLimits.maxLabelBytes, WireLimits.maxActions,
                WireLimits.maxListedRules, Int(WireLimits.largestCap), WireLimits.maxSeparatorBytes,
                WireLimits().contentBytes, Ingress.maxFrameBytes, Ingress.reportedMistakes, Ingress.decodedCommands,
                Ingress.visitedPopups,
                Ingress.maxNesting,
            ])
    }

    @Test("gives examples that are commands or events of the protocol")
    func examples() throws {
        #expect(document.jsonLines.count == 9)
        for line in document.jsonLines {
            let bytes = Array(line.utf8)
            if let command = try? Ingress.command(json: bytes) {
                try CommandValidator().validate(command)
            } else {
                #expect(try WireEncoding.json.decode(bytes, as: WireEvent.self).event != nil, "\(line)")
            }
        }
    }
}
