import PopupCenter

/// The stories: what applications often do with a queue manager of their own, one function each.
enum Stories {
    /// Shows banners in turn: none covers another, and each has its time.
    static func banners() async throws {
        let screen = try await Screen("Banners in turn", .fifo)
        try await screen.center.show(.init("Saved", duration: .seconds(2)))
        try await screen.center.show(.init("3 files uploaded", duration: .seconds(2)))
        // A popup with the same collapse key replaces the one before.
        try await screen.center.show(.init("1 message", duration: .seconds(3), collapseKey: "mail"))
        try await screen.center.show(.init("2 messages", duration: .seconds(3), collapseKey: "mail"))
        await screen.wait(8)
    }

    /// Shows sheets on top of each other: the newest is on top, and those below come back.
    static func sheets() async throws {
        let screen = try await Screen("Sheets on top of each other", .lifo)
        try await screen.center.show(.init("Settings", id: "settings"))
        await screen.wait(1)
        try await screen.center.show(.init("Choose a color", id: "color"))
        await screen.wait(1)
        try await screen.choose("blue", of: "color")
        try await screen.choose("done", of: "settings")
    }

    /// Lets a call interrupt an offer, which resumes with the time that it had left, while a tip waits.
    static func priorities() async throws {
        let screen = try await Screen("A call interrupts", .priority)
        try await screen.center.show(.init("Sale until 18:00", duration: .seconds(5)))
        try await screen.center.show(.init("Tip: swipe left", priority: -1, duration: .seconds(2)))
        await screen.wait(2)
        try await screen.center.show(.init("Ana calls", id: "call", priority: 9))
        await screen.wait(10)
        try await screen.choose("decline", of: "call")
        await screen.wait(6)
    }

    /// Shows only urgent popups while a video plays; the others are paused and come back.
    static func video() async throws {
        let screen = try await Screen("A video hides popups", .priority)
        try await screen.center.show(.init("Rate this app?", duration: .seconds(3)))
        await screen.wait(1)
        try await screen.center.suspend("video", below: 5)
        await screen.wait(1)
        try await screen.center.show(.init("Battery low", priority: 5, duration: .seconds(2)))
        await screen.wait(3)
        await screen.center.resume("video")
        await screen.wait(3)
    }

    /// Refuses popups by a gate before they are in the queue.
    static func gate() async throws {
        let screen = try await Screen("A gate refuses", .fifo)
        await screen.center.addGate("premium") { popup in
            popup.capKey == "ad" ? .deny("this user has paid") : .admit
        }
        var advert = PopupCenter<String>.Popup("Shoes, half price")
        advert.capKey = "ad"
        do {
            try await screen.center.show(advert)
        } catch {
            print("  0 s    refused: \(error)")
        }
        try await screen.center.show(.init("Your order is on its way", duration: .seconds(2)))
        await screen.wait(2)
    }

    /// Shows related questions as a flow: each after the answer that it requires, and nothing in between.
    static func flow() async throws {
        let screen = try await Screen("A flow stays together", .priority)
        try await screen.center.show(
            .init("Where to?", id: "where", flow: PopupFlow("trip", stage: 1, hold: .seconds(5))))
        try await screen.center.show(.init("Sale until 18:00", duration: .seconds(2)))
        try await screen.choose("home", of: "where")
        // The flow keeps the slot while the application looks for cars.
        await screen.wait(2)
        try await screen.center.show(
            .init("Two cars nearby", id: "car", flow: PopupFlow("trip", stage: 2, requires: "where", action: "home")))
        try await screen.choose("order", of: "car")
        await screen.wait(2)
    }

    /// Shows a popup that is bound to a page: it is paused on other pages, and closes with its page.
    static func pages() async throws {
        let screen = try await Screen("Popups on their pages", .priority)
        try await screen.center.openPage("home", value: "home", in: "app")
        try await screen.center.openPage("cart", value: "cart", below: "home", in: "app")
        try await screen.center.enterPage("cart", in: "app")
        try await screen.center.show(
            .init("Free shipping from 30 €", id: "shipping", page: PopupPage("cart", in: "app")))
        await screen.wait(1)
        try await screen.center.enterPage("home", in: "app")
        await screen.wait(1)
        print("         \(await screen.center.explain("shipping").decisive.text)")
        try await screen.center.enterPage("cart", in: "app")
        await screen.wait(1)
        try await screen.center.closePage("cart", in: "app")
        await screen.look()
        print("         \(await screen.center.explain("shipping").decisive.text)")
    }
}
