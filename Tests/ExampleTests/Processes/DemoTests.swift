import Foundation
import Testing
import TestPrograms

@Suite("The demonstration", .timeLimit(.minutes(5)))
struct DemoTests {
    private static let script = Package.folder.appending(path: "Scripts/demo.sh").path

    /// What the script takes; its marker is in the environment of all that it starts.
    ///
    /// - Parameter seconds: The time after which it ends by itself: longer than a test takes that ends it.
    private func environment(
        _ folder: TemporaryDirectory, marker: String, seconds: Int = 90
    ) -> [String: String] {
        [
            "BIN": Package.products.path, "DEMO_SECONDS": "\(seconds)", "TMPDIR": folder.path(""),
            "DEMO_MARKER": marker, "LC_ALL": "C.UTF-8",
            // As `make -k demo` starts it.
            "MAKEFLAGS": "k", "MAKELEVEL": "1",
        ]
    }

    @Test("without a terminal: lines of two renderers and of producers, a summary, nothing left behind")
    func lines() async throws {
        let (folder, marker) = (try TemporaryDirectory(), UUID().uuidString)
        let demo = try RunningProgram(
            inPackage: URL(filePath: "/bin/bash"), [Self.script],
            environment: environment(folder, marker: marker, seconds: 12))
        #expect(await demo.exitCode() == 0)
        let lines = await demo.output.all()
        let summary = lines.drop { !$0.hasPrefix("What was shown when and why") }
        #expect(lines.contains { $0.hasPrefix("demo/lobby  shown    visitor") })
        #expect(lines.contains { $0.hasPrefix("freight/lyon/offers  shown") })
        #expect(lines.contains { $0.hasPrefix("replay  ") })
        #expect(lines.contains { $0.hasPrefix("make: Entering directory ") })
        for group in ["demo/lobby", "freight/lyon/offers", "freight/milano/offers", "freight/notices"] {
            #expect(summary.contains(group))
        }
        #expect(await demo.errors.all() == [])
        let rest = try left(by: marker)
        #expect(rest == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == [])
    }

    @Test("on a terminal: two screens side by side, `q` ends it early, the summary stays")
    func terminal() async throws {
        let (folder, marker) = (try TemporaryDirectory(), UUID().uuidString)
        let terminal = try PseudoTerminal(
            URL(filePath: "/bin/bash"), [Self.script], environment: environment(folder, marker: marker), columns: 100,
            rows: 30)
        try await terminal.wait(for: "freight/lyon/offers")
        try await terminal.wait(for: "─ Cem to Lyon ─")
        terminal.type("q")
        try await terminal.wait(for: "\u{1B}[?1049l")
        try await terminal.wait(for: "What was shown when and why")
        #expect(await terminal.exitCode() == 0)
        #expect(terminal.isCooked)
        let rest = try left(by: marker)
        #expect(rest == [])
    }

    @Test("a signal ends all of it")
    func signalled() async throws {
        let (folder, marker) = (try TemporaryDirectory(), UUID().uuidString)
        let demo = try RunningProgram(
            inPackage: URL(filePath: "/bin/bash"), [Self.script], environment: environment(folder, marker: marker))
        _ = try await demo.output.next { $0.hasPrefix("freight/lyon/offers  shown") }
        #expect(await demo.stop() == 143)
        let rest = try left(by: marker)
        #expect(rest == [])
    }

    /// The processes that still have the marker in their environment.
    private func left(by marker: String) throws -> [String] {
        #if os(Linux)
            try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.filter { process in
                guard let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") else {
                    return false
                }
                return environment.range(of: Data("DEMO_MARKER=\(marker)".utf8)) != nil
            }.map { process in
                let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
                return String(decoding: words, as: UTF8.self).replacing("\0", with: " ")
            }
        #else
            []
        #endif
    }
}
