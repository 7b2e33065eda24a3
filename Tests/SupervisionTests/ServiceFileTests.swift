import Foundation
import SystemCalls
import Testing

@testable import Supervision

@Suite("Files that a service reads again")
struct ServiceFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "service-file-\(UUID().uuidString)").path

    @Test("The text is returned, up to the largest size")
    func text() throws {
        defer { unlink(path) }
        try Data("tea: 2 – 3\n".utf8).write(to: URL(filePath: path))
        #expect(try ServiceFile(path).text() == "tea: 2 – 3\n")
        #expect(try ServiceFile(path, largestSize: 13).text().count == 11)
        try ServiceFile(path).requireRereadable()
        let mistake = #expect(throws: ServiceFile.Mistake.self) { try ServiceFile(path, largestSize: 12).text() }
        #expect(mistake?.description.hasPrefix("is larger than 12 bytes") == true)
    }

    @Test("What cannot be read is told with its cause")
    func mistakes() throws {
        defer { unlink(path) }
        func mistake(_ path: String) -> String? {
            #expect(throws: ServiceFile.Mistake.self) { try ServiceFile(path).text() }?.description
        }
        #expect(mistake(path) == "cannot be read: it does not exist; check the path")
        #expect(mistake("/") == "cannot be read: it is a directory; name a file")
        try Data([0x61, 0xff]).write(to: URL(filePath: path))
        #expect(mistake(path) == "is not UTF-8 text; save it as UTF-8")
        // What is missing may be there when it is read again.
        try ServiceFile("/nowhere/at/all").requireRereadable()
    }

    @Test("A pipe is not read again")
    func pipe() throws {
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let mistake = #expect(throws: ServiceFile.Mistake.self) { try ServiceFile(path).requireRereadable() }
        #expect(mistake?.description.hasPrefix("is a pipe, which cannot be read again") == true)
    }
}
