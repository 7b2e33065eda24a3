@testable import PopupProtocol
import SchemaReading
import Testing

@Suite("The tables of the schema")
struct WireTablesTests {
    private let schema: SchemaFile

    init() throws { schema = try SchemaFile() }

    @Test("have each message with its fields")
    func messages() {
        #expect(Set(WireSchema.messages.map(\.name)) == Set(schema.messages.keys))
        for message in WireSchema.messages {
            let written = message.fields.indices.map { place in
                SchemaFile.Field(
                    name: "\(message.schemaNames[place])", jsonName: "\(message.names[place])",
                    type: type(of: message.fields[place]), number: Int(message.fields[place].number))
            }
            let fields = (schema.messages[message.name] ?? []).map { field in
                let label = field.type.split(separator: " ").dropLast().first { $0 == "repeated" }
                let type = schema.resolve(field.type, in: message.name)
                return SchemaFile.Field(
                    name: field.name, jsonName: field.jsonName, type: (label.map { "\($0) " } ?? "") + type,
                    number: field.number)
            }
            #expect(written == fields.sorted { $0.number < $1.number }, "\(message.name)")
        }
    }

    private func type(of field: WireField) -> String {
        let name =
            switch field.kind {
            case .text: "string"
            case .bytes: "bytes"
            case .flag: "bool"
            case .signed: "int32"
            case .unsigned: "uint32"
            case .long: "uint64"
            case .choice: field.choices.name
            case .message: WireSchema.messages[Int(field.type)].name
            }
        return (field.isRepeated ? "repeated " : "") + name
    }

    @Test("have each enum with its values")
    func enums() {
        #expect(Set(WireSchema.enums.map(\.name)) == Set(schema.enums.keys))
        for choices in WireSchema.enums {
            let values = zip(choices.names, choices.numbers).map {
                SchemaFile.Value(name: "\($0)", number: Int($1))
            }
            #expect(values == schema.enums[choices.name], "\(choices.name)")
        }
    }

    @Test("are what the generator makes of the schema")
    func generated() throws {
        #expect(
            try isUpToDate(codeOf: "Scripts/wire_tables.py"),
            "Sources/PopupProtocol/Generated is not as the schema has it: run make protobuf")
    }
}
