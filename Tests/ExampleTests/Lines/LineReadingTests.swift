import ExampleSupport
import Foundation
import Testing

@testable import line_producer

@Suite("Lines as they come")
struct LineReadingTests {
    @Test("bytes in any pieces make the same lines")
    func pieces() {
        let text = Array("one\r\ntwo\n\nü 日本\nlast".utf8)
        for size in 1...text.count {
            var splitter = LineSplitter()
            var lines = stride(from: 0, to: text.count, by: size)
                .flatMap { splitter.lines(adding: text[$0..<min($0 + size, text.count)]) }
            if let last = splitter.finish() { lines.append(last) }
            #expect(lines == ["one", "two", "", "ü 日本", "last"])
        }
    }

    @Test("colours are left out, long lines cut, broken text repaired")
    func cleaned() {
        var splitter = LineSplitter()
        #expect(splitter.lines(adding: Array("\u{1B}[1;31merror:\u{1B}[0m x\n".utf8)) == ["error: x"])
        #expect(splitter.lines(adding: [UInt8](repeating: 65, count: 10_000) + [10])[0].utf8.count == 4096)
        #expect(splitter.lines(adding: [0xFF, 10]) == ["\u{FFFD}"])
    }

    @Test("a file is followed through appending, rotation and truncation")
    func follow() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("app.log")
        try folder.write("old\n", to: "app.log")
        var file = FollowedFile(path: path, fromStart: false)
        try folder.append("one\ntwo", to: "app.log")
        #expect(try await file.next() == ["one"])

        try folder.move("app.log", to: "app.log.1")
        try folder.append(" and a half\n", to: "app.log.1")
        try folder.write("three\n", to: "app.log")
        #expect(try await file.next() == ["two and a half"])
        #expect(try await file.next() == ["three"])

        try folder.truncate("app.log")
        // Emptied and filled again it is shorter than what has been read.
        try folder.append("4\n", to: "app.log")
        #expect(try await file.next() == ["4"])
    }

    @Test("a file that isn't there yet is waited for")
    func later() async throws {
        let folder = try TemporaryDirectory()
        var file = FollowedFile(path: folder.path("new.log"), fromStart: false)
        try folder.write("first\n", to: "new.log")
        #expect(try await file.next() == ["first"])
    }

    @Test("a program's output on both streams, and its exit code")
    func program() async throws {
        let child = try ChildProgram(["sh", "-c", "echo out; echo err >&2; exit 3"])
        var source = OpenLines(child.output)
        var lines: [String] = []
        while let more = try await source.next() { lines += more }
        #expect(lines == ["out", "err"])
        #expect(await child.exitCode() == 3)
    }
}
