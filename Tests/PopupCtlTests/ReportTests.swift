import PopupClient
import PopupProtocol
import Testing

@testable import popupctl

@Suite("What popupctl reports beside the messages of the protocol")
struct ReportTests {
    @Test("is one JSON object on a line, in which a slash is a slash")
    func objects() {
        let lines = [
            JSON.line(report: .sent("store/1", shard: nil)),
            JSON.line(report: .sent("store/1", shard: "north")),
            JSON.line(report: .cleared(3, left: 1, shard: nil)),
            JSON.line(report: .cleared(0, left: 0, shard: #"no"rth\"#)),
            JSON.line(report: .count(12)),
            JSON.line(report: .suspended("store/*", token: "a/b", minPriority: nil)),
            JSON.line(report: .suspended("*", token: "night", minPriority: -5)),
            JSON.line(report: .resumed("a/b", wasKnown: false)),
            JSON.line(report: .resumed("night", wasKnown: nil)),
            JSON.line(report: .session("guest", of: "store/1", closed: ["A", "B"])),
            JSON.line(report: .session("", of: "store/1", closed: [])),
            JSON.line(report: .ping(endpoint: "ipc:///run/popup/in", milliseconds: 0.3)),
        ]
        #expect(
            lines == [
                #"{"sent":"store/1"}"#,
                #"{"sent":"store/1","shard":"north"}"#,
                #"{"cleared":3,"left":1}"#,
                #"{"cleared":0,"left":0,"shard":"no\"rth\\"}"#,
                #"{"popups":12}"#,
                #"{"suspended":"store/*","token":"a/b"}"#,
                #"{"minPriority":-5,"suspended":"*","token":"night"}"#,
                #"{"resumed":"a/b","wasKnown":false}"#,
                #"{"resumed":"night"}"#,
                #"{"closed":["A","B"],"group":"store/1","session":"guest"}"#,
                #"{"closed":[],"group":"store/1","session":""}"#,
                #"{"endpoint":"ipc:///run/popup/in","milliseconds":0.3}"#,
            ])
    }

    @Test("and the messages of the protocol have escapes for what a terminal obeys, and the same values")
    func invisibles() throws {
        let id = "a\u{202E}b\u{9B}\u{2028}c\u{E0041}\u{200D}\u{7F}é"
        let escaped = #"a\u202eb\u009b\u2028c\udb40\udc41"# + "\u{200D}" + #"\u007fé"#
        #expect(JSON.line(report: .sent(id, shard: nil)) == #"{"sent":"\#(escaped)"}"#)
        var event = PopupEvent()
        (event.group, event.popup) = ("lobby", id)
        event.closed = PopupClosed()
        event.closed?.action = "o\u{2066}k"
        let line = try JSON.line(event)
        #expect(line.contains(#""popup":"\#(escaped)""#) && line.contains(#""action":"o\u2066k""#))
        let again: WireEvent = try WireEncoding.json.decode(Array(line.utf8))
        #expect(again.popup == id && again.closed.action == "o\u{2066}k")
    }

    @Test("is a note if a history is shorter than what was asked for, and no advice that does not help")
    func history() throws {
        func note(popups: Int, isTruncated: Bool, limit: Int = 20) -> String? {
            var history = PopupHistory()
            history.popups = Array(repeating: ClosedPopup(), count: popups)
            history.truncated = isTruncated
            return HistoryCommand.note(on: history, limit: limit)
        }
        #expect(note(popups: 20, isTruncated: true) == nil)
        #expect(note(popups: 3, isTruncated: false) == nil)
        let words = try #require(note(popups: 3, isTruncated: true))
        #expect(words.contains("`limits.queryResults`") && words.contains("100,000"))
        #expect(note(popups: 1000, isTruncated: true, limit: 2000) == words)
    }
}
