import PopupClient
import Testing
import TestPrograms

@Suite("The walk through an app's screens", .timeLimit(.minutes(5)))
struct PagesWalkTests {
    @Test("popups come, pause, come back and end with their pages, and the ways are told")
    func walk() async throws {
        try await TestBroker.run { broker in
            let walk = try broker.start("pages-walk", ["--pause", "0"])
            #expect(await walk.exitCode() == 0)
            let lines = await walk.output.all()
            #expect(await walk.errors.all() == [])
            #expect(
                lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") } == [
                    "→ opens home",
                    "+ asks for tip", "tip waits home",
                    "+ asks for film-1", "film-1 waits home",
                    "→ opens history", "tip is shown home/history",
                    "→ opens detail-7",
                    "+ asks for rating", "tip is paused home/history/detail", "rating is shown home/history/detail",
                    "→ opens video-7", "rating is paused home/history/detail/video",
                    "film-1 is shown home/history/detail/video",
                    "? which way, joined by “/”", "home/history/detail/video",
                    "? which way, joined by “ › ”, without detail", "home › history › video",
                    "! answers film-1: buy", "film-1 closes: DISMISSED buy home/history/detail/video",
                    "tip is back home/history/detail/video",
                    "→ goes to home", "tip is paused home",
                    "→ opens search",
                    "→ goes to detail-7", "rating is back home/history/detail",
                    "← closes detail-7", "rating closes: PAGE_CLOSED home/history", "tip is back home/history",
                    "! answers tip: understood", "tip closes: DISMISSED understood home/history",
                    "→ goes to search",
                    "+ asks for film-2", "film-2 waits home/search",
                    "→ opens detail-9",
                    "→ opens video-9", "film-2 is shown home/search/detail/video",
                    "! answers film-2: no", "film-2 closes: DISMISSED no home/search/detail/video",
                    "? which way, joined by “ > ”, without home", "search > detail > video",
                    "",
                    "way popup end",
                    "home/history tip understood",
                    "home/history/detail rating PAGE_CLOSED",
                    "home/history/detail/video film-1 buy",
                    "home/search/detail/video film-2 no",
                ])
        }
    }
}
