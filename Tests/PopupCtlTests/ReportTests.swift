import PopupClient
import PopupProtocol
import Testing

@testable import popupctl

@Suite("What popupctl reports beside the messages of the protocol")
struct ReportTests {
    @Test("is one JSON object on a line, in which a slash is a slash")
    func objects() throws {
        let lines = [
            try JSON.line(report: Report.Sent(sent: "store/1", shard: nil)),
            try JSON.line(report: Report.Sent(sent: "store/1", shard: "north")),
            try JSON.line(report: Report.Suspended(suspended: "store/*", token: "a/b", minPriority: nil)),
            try JSON.line(report: Report.Suspended(suspended: "*", token: "night", minPriority: -5)),
            try JSON.line(report: Report.Resumed(resumed: "a/b", wasKnown: false)),
            try JSON.line(report: Report.Resumed(resumed: "night", wasKnown: nil)),
            try JSON.line(report: Report.Session(group: "store/1", session: "guest", closed: ["A", "B"])),
            try JSON.line(report: Report.Session(group: "store/1", session: "", closed: [])),
            try JSON.line(report: Report.Ping(endpoint: "ipc:///run/popup/in", milliseconds: 0.3)),
        ]
        #expect(
            lines == [
                #"{"sent":"store/1"}"#,
                #"{"sent":"store/1","shard":"north"}"#,
                #"{"suspended":"store/*","token":"a/b"}"#,
                #"{"minPriority":-5,"suspended":"*","token":"night"}"#,
                #"{"resumed":"a/b","wasKnown":false}"#,
                #"{"resumed":"night"}"#,
                #"{"closed":["A","B"],"group":"store/1","session":"guest"}"#,
                #"{"closed":[],"group":"store/1","session":""}"#,
                #"{"endpoint":"ipc:///run/popup/in","milliseconds":0.3}"#,
            ])
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
