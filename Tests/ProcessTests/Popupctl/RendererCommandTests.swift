import Foundation
import PopupProtocol
import Testing
import TestPrograms

@Suite("popupctl on flows, offers, pages and sessions", .ownThread)
struct RendererCommandTests {
    let broker: BrokerProcess
    let wire: Wire
    let control: Control

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/")
        control = Control(broker: broker)
    }

    /// The standard output of a run that must end well and say nothing else.
    @discardableResult
    private func output(_ arguments: String...) throws -> String {
        let result = try control.start(arguments).result()
        #expect(result.exit == .code(0))
        #expect(result.error == "")
        return result.output
    }

    /// A run that must end with 65 and one sentence.
    private func refusal(_ arguments: String...) throws -> String {
        let result = try control.start(arguments).result()
        #expect(result.exit == .code(65))
        #expect(result.output == "")
        #expect(result.error.split(separator: "\n").count == 1)
        return result.error
    }

    @Test("explain tells at once what a member of a flow waits for")
    func flow() throws {
        try output("show", "-g", "f", "--id", "asked", "--flow", "order", "--hold", "30s", "Tea?")
        try output("show", "-g", "f", "--id", "kind", "--flow", "order", "--stage", "1", "--requires", "asked:yes", "?")
        #expect(
            try output("explain", "kind").split(separator: "\n") == [
                "kind: waiting in f: `asked` of its flow has to close with `yes` first", "content: ?",
                "rule: requirement", "needs: asked, closed with yes", "behind: asked",
                "also: flow: `asked` of its flow goes first",
                "also: queue: it is next in the queue, after `asked`",
            ])
        try output("dismiss", "asked", "no")
        try wire.event("kind closed UNMET", of: "f")
        #expect(try output("explain", "kind").contains("\nby: asked\nat: "))
    }

    @Test("answer accepts, vetoes and puts off what is offered, and nothing else")
    func offers() throws {
        for id in ["A", "B", "C"] {
            try output("show", "-g", "o", "--id", id, "--offer", "10m", "--duration", "10m", "Now?")
        }
        #expect(try output("answer", "A", "later", "--retry", "10m").hasPrefix("A: waiting in o: "))
        #expect(try output("explain", "A").contains("\nrule: retry\nfor: 9 min "))
        #expect(try output("answer", "B", "veto").hasPrefix("B: closed VETOED"))
        #expect(try output("answer", "C", "accept", "--client", "kiosk").hasPrefix("C: active"))
        #expect(try refusal("answer", "C", "accept").hasPrefix("popupctl: refused STALE"))
    }

    @Test("report speaks for a renderer, dismiss counts for one")
    func reports() throws {
        try output("policy", "set", "r", "--quorum", "2", "--clock", "visible")
        try output("show", "-g", "r", "--id", "A", "--duration", "10m", "Hello")
        #expect(try output("report", "A", "visible", "--client", "left") == "A: visible by left\n")
        #expect(try output("dismiss", "A", "ok", "--client", "left").hasPrefix("A: active"))
        #expect(try output("dismiss", "A", "fine", "--client", "right").hasPrefix("A: closed DISMISSED fine"))
        #expect(try refusal("report", "A", "hidden", "--client", "left").hasPrefix("popupctl: `A` is over"))
    }

    @Test("page opens, enters and closes; popups come and go with their page, and the events tell the way")
    func pages() throws {
        try output("policy", "set", "p", "--page-tree", "app")
        try output("show", "-g", "p", "--id", "tip", "--page", "app:history:within", "Swipe")
        #expect(try output("page", "open", "app", "home") == "home: home\n")
        #expect(try output("page", "open", "app", "h", "--parent", "home", "--value", "history") == "h: home/history\n")
        #expect(try output("explain", "tip").contains("page: app:history:within"))
        #expect(try output("page", "enter", "app", "h") == "h: home/history\n")
        #expect(try wire.event("tip shown", of: "p").event.path == ["home", "history"])
        #expect(try output("page", "path", "app", "--except", "home", "--separator", " > ") == "history\n")
        #expect(
            try output("page", "path", "app", "--json") == #"{"values":["home","history"],"joined":"home/history"}"#
                + "\n")
        #expect(try output("page", "close", "app", "h") == "h: closed; now at home\n")
        try wire.event("tip closed PAGE_CLOSED", of: "p")
        #expect(try refusal("page", "enter", "app", "h").hasPrefix("popupctl: refused NOT_FOUND: "))
        #expect(
            try refusal("page", "open", "app", "x", "--parent", "nowhere").hasPrefix("popupctl: refused NOT_FOUND: "))
        #expect(try output("page", "clear", "app") == "app: no pages\n")
        #expect(try refusal("page", "path", "app").hasPrefix("popupctl: there is no tree `app`; "))
    }

    @Test("session ends what belonged to the old one")
    func session() throws {
        #expect(try output("session", "s", "guest-1") == "s: session guest-1\n")
        try output("show", "-g", "s", "--id", "A", "--session", "guest-1", "Hello")
        #expect(try output("session", "s", "guest-2") == "s: session guest-2, closed A\n")
        #expect(try output("session", "s") == "s: session ended\n")
        #expect(try output("session", "s") == "s: there was no session\n")
        #expect(try output("session", "nosuch") == "nosuch: there was no session\n")
    }
}
