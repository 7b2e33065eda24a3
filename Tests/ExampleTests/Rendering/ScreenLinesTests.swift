import PopupClient
import Testing

@testable import terminal_renderer

@Suite("Screens as lines")
struct ScreenLinesTests {
    private func popup(_ id: String, since revision: UInt64, text: String = "text") -> Popup {
        var popup = Popup(id: id, group: "lobby", text: text)
        popup.sinceRevision = revision
        popup.attempt = 1
        return popup
    }

    @Test("a popup comes, gives way, comes back and is closed")
    func life() {
        var log = ScreenLines()
        let first = popup("A", since: 1)
        #expect(log.lines(for: Samples.screen(first)) == ["lobby  shown    A  \"text\""])
        #expect(log.lines(for: Samples.screen(first, waiting: 1)) == [])
        #expect(
            log.lines(for: Samples.screen(popup("B", since: 2), waiting: 1, cause: Samples.cause(.paused, "A"))) == [
                "lobby  paused   A  for B", "lobby  shown    B  \"text\"",
            ])
        #expect(
            log.lines(
                for: Samples.screen(popup("A", since: 3), cause: Samples.cause(.closed, "B", .dismissed, action: "ok")))
                == ["lobby  closed   B  DISMISSED ok", "lobby  back     A  \"text\""])
        #expect(
            log.lines(for: Samples.screen(nil, cause: Samples.cause(.closed, "A", .timedOut))) == [
                "lobby  closed   A  TIMED_OUT"
            ])
    }

    @Test("a popup is offered, put off, offered again and shown; another one is not wanted")
    func offers() {
        var log = ScreenLines()
        func lines(_ popup: Popup?, _ cause: PopupCause, isOffered: Bool = true) -> [String] {
            log.lines(for: Samples.screen(popup, isOffered: isOffered, cause: cause))
        }
        var first = popup("A", since: 1)
        first.attempt = 0
        #expect(lines(first, Samples.cause(.offered, "A")) == ["lobby  offered  A  \"text\""])
        #expect(
            lines(popup("B", since: 2), Samples.cause(.queued, "A")) == [
                "lobby  later    A  after B", "lobby  offered  B  \"text\"",
            ])
        #expect(lines(nil, Samples.cause(.closed, "B", .vetoed)) == ["lobby  closed   B  VETOED"])
        #expect(lines(first, Samples.cause(.offered, "A")) == ["lobby  offered  A  \"text\""])
        #expect(
            lines(popup("A", since: 4), Samples.cause(.shown, "A"), isOffered: false) == ["lobby  shown    A  \"text\""]
        )
    }

    @Test("title, time, actions and changes of a popup are told")
    func content() {
        var log = ScreenLines()
        var popup = Popup(
            id: "A", group: "lobby", duration: .seconds(8), title: "Hello", text: "two\nlines",
            actions: [PopupAction(id: "ok", label: "OK"), PopupAction(id: "no", label: "No")])
        popup.remainingMs = 8000
        popup.sinceRevision = 1
        #expect(log.lines(for: Samples.screen(popup)) == ["lobby  shown    A  \"Hello: two ⏎ lines\"  8.0 s  [ok no]"])
        popup.text = "other"
        popup.sinceRevision = 2
        popup.actions = []
        #expect(log.lines(for: Samples.screen(popup)) == ["lobby  updated  A  \"Hello: other\"  8.0 s"])
    }

    @Test("an exclusive popup's reason holds for the one that it closed")
    func superseded() {
        var log = ScreenLines()
        _ = log.lines(for: Samples.screen(popup("A", since: 1)))
        let lines = log.lines(for: Samples.screen(nil, cause: Samples.cause(.closed, "other", .superseded)))
        #expect(lines == ["lobby  closed   A  SUPERSEDED"])
    }

    @Test("a missed end is called one")
    func missed() {
        var log = ScreenLines()
        _ = log.lines(for: Samples.screen(popup("A", since: 1)))
        let lines = log.lines(for: Samples.screen(nil, cause: Samples.cause(.closed, "C", .timedOut)))
        #expect(lines == ["lobby  gone     A  the message with the reason was missed"])
    }

    @Test("no sequence in ids or text reaches the terminal")
    func attack() {
        var log = ScreenLines()
        let lines = log.lines(for: Samples.screen(popup("A\u{1B}[2J", since: 1, text: "\u{1B}[31m")))
        #expect(lines == ["lobby  shown    A␛[2J  \"␛[31m\""])
    }
}
