import Foundation
import PopupClient
import Testing

@testable import line_producer

@Suite("The rules that come with the example")
struct ShippedRulesTests {
    private func book(_ name: String) throws -> RuleBook {
        let path = Package.folder.appending(path: "Examples/line-producer/rules/\(name)")
        let yaml = try String(contentsOf: path, encoding: .utf8)
        return RuleBook(try RulesFile.rules(yaml, file: name), name: "t")
    }

    /// Group, priority, title and text of what is made of a line.
    private func outcome(_ popup: Popup?) -> String? {
        popup.map { "\($0.group) \($0.priority) \($0.presentation.title): \($0.contentText)" }
    }

    @Test(
        "build output",
        arguments: [
            (
                "Sources/App/Main.swift:12:5: error: cannot find 'x' in scope",
                "desk/build 8 Main.swift, line 12: cannot find 'x' in scope"
            ),
            ("src/main.c:3:1: warning: unused variable 'i'", "desk/build 3 main.c, line 3: unused variable 'i'"),
            (
                "make: *** [Makefile:7: all] Error 2",
                "desk/build 9 The build failed: make: *** [Makefile:7: all] Error 2"
            ),
            ("Build complete! (3.21s)", "desk/build 5 The build is done: 3.21s"),
            ("[12/40] Compiling App Main.swift", "desk/build 1 Building: Compiling App Main.swift"),
            ("Fetching something", nil),
        ])
    func build(line: String, expected: String?) throws {
        var book = try book("build.yaml")
        #expect(outcome(book.popup(for: line, at: .zero)) == expected)
    }

    @Test(
        "journalctl",
        arguments: [
            (
                "Nov 21 12:00:01 web1 kernel: Out of memory: Killed process 4321 (java)",
                "hosts/web1 10 Out of memory on web1: Killed process 4321 (java)"
            ),
            (
                "Nov 21 12:00:02 web1 sshd[811]: Failed password for root from 203.0.113.9 port 5022 ssh2",
                "hosts/web1 6 Login refused on web1: root from 203.0.113.9"
            ),
            (
                "Nov 21 12:00:03 db systemd[1]: backup.service: Failed with result 'exit-code'.",
                "hosts/db 8 backup.service failed on db: exit-code"
            ),
            ("Nov 21 12:00:04 db CRON[7]: (root) CMD (true)", nil),
        ])
    func journal(line: String, expected: String?) throws {
        var book = try book("journal.yaml")
        #expect(outcome(book.popup(for: line, at: .zero)) == expected)
    }

    @Test(
        "a web server's log",
        arguments: [
            (
                #"203.0.113.9 - - [21/Nov/2026:12:00:00 +0000] "GET /pay HTTP/1.1" 502 157 "-" "curl/8""#,
                "web/errors 8 502: GET /pay"
            ),
            (#"203.0.113.9 - - [21/Nov/2026:12:00:00 +0000] "GET /health HTTP/1.1" 500 157 "-" "probe""#, nil),
            (
                #"203.0.113.9 - - [21/Nov/2026:12:00:00 +0000] "POST /login HTTP/1.1" 401 15 "-" "curl/8""#,
                "web/security 5 Refused: POST /login from 203.0.113.9"
            ),
            (#"203.0.113.9 - - [21/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "curl/8""#, nil),
        ])
    func web(line: String, expected: String?) throws {
        var book = try book("web.yaml")
        #expect(outcome(book.popup(for: line, at: .zero)) == expected)
    }
}
