import HouseRules
import PopupBroker
import PopupProtocol
import Testing

@Suite("Priorities are capped")
struct PriorityCapTests {
    private static let trusted = ProducerName("00112233445566778899aabbccddeeff")!

    private func admit(_ json: String) throws -> WireCommand {
        let plugin = PriorityCap(
            [.init(groups: GroupPattern("*")!, most: 100), .init(groups: GroupPattern("public/*")!, most: 50)],
            trusted: [Self.trusted])
        guard var command = AdmittedCommand(try Ingress.command(json: Array(json.utf8))) else {
            throw CommandRefusal(.malformed, "`\(json)` holds no command")
        }
        try plugin.admit(&command, at: 0)
        return command.command
    }

    @Test(
        "the most specific cap counts; what is below it stays",
        arguments: [
            ("public/hall", 80, 50), ("public/hall", 30, 30), ("office", 80, 80), ("office", 1000, 100),
            ("public/hall", -5, -5),
        ] as [(String, Int32, Int32)])
    func show(group: String, priority: Int32, expected: Int32) throws {
        let command = try admit(#"{"show":{"id":"A","group":"\#(group)","priority":\#(priority)}}"#)
        #expect(command.show.priority == expected)
    }

    @Test("an update can't go round it")
    func update() throws {
        #expect(try admit(#"{"update":{"id":"A","priority":99}}"#).update.priority == 50)
        #expect(try !admit(#"{"update":{"id":"A","text":"x"}}"#).update.hasPriority)
    }

    @Test("only trusted producers clear every screen, and are not capped")
    func exclusive() throws {
        let show = #""show":{"id":"A","group":"public/hall","priority":900,"exclusive":"ALL"}"#
        let refusal = #expect(throws: CommandRefusal.self) { try admit("{\(show)}") }
        #expect(refusal?.reason == .permissionDenied)
        #expect(try admit(#"{"producer":"\#(Self.trusted)","# + show + "}").show.priority == 900)
    }
}
