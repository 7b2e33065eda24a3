import PopupClient
import PopupProtocol
import Testing

@Suite("Pages, sessions and flows", .timeLimit(.minutes(5)))
struct PageTests {
    @Test("pages are opened, entered, closed and cleared; a session is set")
    func commands() async throws {
        let broker = try FakeBroker()
        let producer = try Producer(broker.endpoints, limits: .patient)
        let pages = producer.pages(of: "app")

        try await pages.open("home")
        try await pages.open("d-7", below: "home", value: "detail")
        try await pages.enter("d-7")
        try await pages.close("d-7")
        try await pages.clear()
        try await producer.setSession("guest-12", of: "lobby")

        let sent = await broker.commands(6).commands
        func json(_ text: String) throws -> WireCommand { try Ingress.command(json: Array(text.utf8)) }
        #expect(
            try sent == [
                json(#"{"page":{"tree":"app","open":{"node":"home","value":"home"}}}"#),
                json(#"{"page":{"tree":"app","open":{"node":"d-7","parent":"home","value":"detail"}}}"#),
                json(#"{"page":{"tree":"app","enter":{"node":"d-7"}}}"#),
                json(#"{"page":{"tree":"app","close":{"node":"d-7"}}}"#),
                json(#"{"page":{"tree":"app","clear":{}}}"#),
                json(#"{"setSession":{"group":"lobby","session":"guest-12"}}"#),
            ])
        await producer.close()
    }

    @Test("a path is asked for")
    func path() async throws {
        let broker = try FakeBroker { command in
            let query = command.query.path
            var result = WireResult()
            result.path.values = [query.node, query.hasExcept ? query.except : "all"]
            result.path.joined = query.separator
            return FakeBroker.reply(to: command, result)
        }
        let admin = try AdminClient(broker.endpoints, limits: .patient)

        let path = try await admin.path(in: "app", to: "d-7", except: "home", separator: " > ")

        #expect(path.values == ["d-7", "home"])
        #expect(path.joined == " > ")
        let whole = try await admin.pages(of: "app").path()
        #expect(whole.values == ["", "all"])
        #expect(whole.joined == "/")
        await admin.close()
    }

    @Test("what popups and policies say about flows, pages, caps and quiet windows reads as in the protocol")
    func conveniences() throws {
        func show(_ json: String) throws -> Popup? { try PopupCommand(json: json.utf8).show }
        var popup = Popup(id: "B", group: "lobby", text: "")
        popup.flow = PopupFlow("wish", stage: 2, requires: PopupRequirement("A", action: "confirm"), hold: .seconds(2))
        popup.page = .within("history", in: "app")
        #expect(
            try popup
                == show(
                    #"{"show":{"id":"B","group":"lobby","text":"","flow":{"key":"wish","stage":2,"requires":"#
                        + #"{"popup":"A","action":"confirm"},"holdMs":2000},"#
                        + #""page":{"tree":"app","value":"history","scope":"WITHIN"}}}"#))
        #expect(PageBinding.current("x", in: "app").scope == .current)

        var policy = GroupPolicy("lobby", preset: .fifo)
        policy.caps = [PopupCap(3, per: .seconds(60), key: "ads"), PopupCap(9, per: .seconds(60))]
        policy.quiet = [QuietWindow(from: "22:00", to: "07:00", timeZone: "Europe/Berlin", minPriority: 5)]
        let json =
            #"{"setPolicy":{"group":"lobby","preset":"FIFO","caps":[{"capKey":"ads","most":3,"perMs":60000},"#
            + #"{"most":9,"perMs":60000}],"quiet":[{"from":"22:00","to":"07:00","timeZone":"Europe/Berlin","#
            + #""minPriority":5}]}}"#
        #expect(try policy == PopupCommand(json: json.utf8).setPolicy)
    }
}
