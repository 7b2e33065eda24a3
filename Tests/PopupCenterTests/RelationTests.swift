import PopupCenter
import Testing

@Suite("Gates, flows, pages, sessions")
struct RelationTests {
    @Test("a gate that denies refuses the popup with its reason; nothing of the popup is left")
    func gate() async throws {
        let stage = try await Stage()
        await stage.center.addGate("no ads") { $0.content.hasPrefix("ad") ? .deny("the user has paid") : .admit }
        var events = await stage.center.events().makeAsyncIterator()
        let refusal = await #expect(throws: PopupRefusal.self) {
            try await stage.center.show(Popup("ad: shoes", id: "ad"))
        }
        #expect(refusal == PopupRefusal(.permissionDenied, "the gate `no ads` denies it: the user has paid"))
        #expect(await events.next()?.kind == refusal.map { .refused($0) })
        #expect(await stage.center.explain("ad").rule == .unknown)
        try await stage.center.show(Popup("news"))
        #expect(await stage.shown == "news")
    }

    @Test("all gates are asked; one of the same name replaces, and a removed one is asked no more")
    func gates() async throws {
        let stage = try await Stage()
        await stage.center.addGate("night") { _ in .deny("night") }
        await stage.center.addGate("car") { $0.priority > 5 ? .admit : .deny("driving") }
        await stage.center.addGate("night") { _ in .admit }
        await #expect(throws: PopupRefusal.self) { try await stage.center.show(Popup("chat")) }
        await stage.center.removeGate("car")
        try await stage.center.show(Popup("chat"))
        #expect(await stage.shown == "chat")
    }

    @Test("an offered popup is shown when the screen accepts it, and closes when it rejects it")
    func offer() async throws {
        var policy = Policy.fifo
        policy.offer = 10_000
        let stage = try await Stage(policy)
        for id in ["A", "B"] { try await stage.center.show(Popup(id, id: id, duration: .seconds(1))) }
        #expect(await stage.center.state(of: "main").active?.isOffered == true)
        try await stage.center.answer("A", .accept)
        #expect(await stage.center.state(of: "main").active?.isOffered == false)
        #expect(await stage.after(.seconds(1)) == "B")
        try await stage.center.answer("B", .veto)
        #expect(try await stage.center.closing(of: "B").reason == .vetoed)
    }

    @Test("members of a flow are shown in order, each after the answer that it requires, with nothing in between")
    func flow() async throws {
        let stage = try await Stage()
        try await stage.center.show(
            Popup("Where to?", id: "where", flow: PopupFlow("trip", stage: 1, hold: .seconds(5))))
        try await stage.center.show(Popup("ad"))
        try await stage.center.dismiss("where", action: "home")
        #expect(await stage.shown == nil)
        try await stage.center.show(
            Popup("Order a car?", id: "order", flow: PopupFlow("trip", stage: 2, requires: "where", action: "home")))
        try await stage.center.show(
            Popup("Work hours?", id: "work", flow: PopupFlow("trip", stage: 2, requires: "where", action: "work")))
        #expect(await stage.shown == "Order a car?")
        #expect(try await stage.center.closing(of: "work").reason == .unmet)
        try await stage.center.dismiss("order", action: "yes")
        #expect(await stage.shown == "ad")
    }

    @Test("a popup that is bound to a page hides while another one is open, and closes with its page")
    func pages() async throws {
        let stage = try await Stage()
        try await stage.center.openPage("home", value: "home", in: "app")
        try await stage.center.openPage("cart", value: "cart", below: "home", in: "app")
        try await stage.center.enterPage("cart", in: "app")
        try await stage.center.show(Popup("Free shipping", id: "bound", page: PopupPage("cart", in: "app")))
        #expect(await stage.shown == "Free shipping")
        #expect(await stage.center.path(in: "app") == ["home", "cart"])
        try await stage.center.enterPage("home", in: "app")
        #expect(await stage.shown == nil)
        #expect(await stage.why("bound") == "it is shown only while `cart` is the current page of `app`")
        try await stage.center.enterPage("cart", in: "app")
        #expect(await stage.shown == "Free shipping")
        try await stage.center.closePage("cart", in: "app")
        #expect(try await stage.center.closing(of: "bound").reason == .pageClosed)
        let refusal = await #expect(throws: PopupRefusal.self) {
            try await stage.center.enterPage("cart", in: "app")
        }
        #expect(refusal?.reason == .notFound)
    }

    @Test("popups of a session close with it")
    func session() async throws {
        let stage = try await Stage()
        try await stage.center.setSession(of: "main", to: "ana")
        var popup = Popup("Your order", id: "order")
        popup.session = "ana"
        try await stage.center.show(popup)
        try await stage.center.setSession(of: "main", to: "ben")
        #expect(try await stage.center.closing(of: "order").reason == .sessionEnded)
    }

    @Test("under the clock `visible`, display time passes only while the screen says that the popup is visible")
    func visibleTime() async throws {
        var policy = Policy.fifo
        policy.clock = .visible
        let stage = try await Stage(policy)
        try await stage.center.show(Popup("A", id: "A", duration: .seconds(2)))
        #expect(await stage.after(.seconds(60)) == "A")
        try await stage.center.report("A", .visible)
        #expect(await stage.after(.seconds(1)) == "A")
        try await stage.center.report("A", .hidden)
        #expect(await stage.after(.seconds(60)) == "A")
        try await stage.center.report("A", .visible)
        #expect(await stage.after(.seconds(1)) == nil)
    }
}
