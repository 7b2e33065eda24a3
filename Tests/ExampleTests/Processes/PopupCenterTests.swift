import Foundation
import Testing
import TestPrograms

@Suite("The rules inside one application", .timeLimit(.minutes(5)))
struct PopupCenterTests {
    @Test("each story runs to its end")
    func stories() async throws {
        let application = try RunningProgram(inPackage: Package.product("popup-center"))
        #expect(await application.exitCode() == 0)
        #expect(
            await application.output.all() == [
                "Banners in turn",
                "  0 s  Saved",
                "  2 s  3 files uploaded",
                "  4 s  2 messages",
                "  7 s  –",
                "Sheets on top of each other",
                "  0 s  Settings",
                "  1 s  Choose a color",
                "  2 s    the user: blue",
                "  2 s  Settings",
                "  2 s    the user: done",
                "  2 s  –",
                "A call interrupts",
                "  0 s  Sale until 18:00",
                "  2 s  Ana calls",
                "  12 s    the user: decline",
                "  12 s  Sale until 18:00",
                "  15 s  Tip: swipe left",
                "  17 s  –",
                "A video hides popups",
                "  0 s  Rate this app?",
                "  1 s  –",
                "  2 s  Battery low",
                "  4 s  –",
                "  5 s  Rate this app?",
                "  7 s  –",
                "A gate refuses",
                "  0 s    refused: the gate `premium` denies it: this user has paid",
                "  0 s  Your order is on its way",
                "  2 s  –",
                "A flow stays together",
                "  0 s  Where to?",
                "  0 s    the user: home",
                "  0 s  –",
                "  2 s  Two cars nearby",
                "  2 s    the user: order",
                "  2 s  Sale until 18:00",
                "  4 s  –",
                "Popups on their pages",
                "  0 s  Free shipping from 30 €",
                "  1 s  –",
                "         it is shown only while `cart` is the current page of `app`",
                "  2 s  Free shipping from 30 €",
                "  3 s  –",
                "         the page to which it was bound closed, after it was shown for 2000 ms",
            ])
        #expect(await application.errors.all().isEmpty)
    }
}
