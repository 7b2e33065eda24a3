import Foundation
import PopupGateway
import Testing

@testable import PopupGatewayServer

@Suite("Themes of the overlay")
struct ThemesDirectoryTests {
    /// Calls a test with a directory of files.
    private func withFiles(_ files: [String: String], _ test: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "popup-themes-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, text) in files { try Data(text.utf8).write(to: directory.appending(path: name)) }
        try test(directory.path)
    }

    @Test("Each file of CSS is a theme; other files and hidden ones are none")
    func themes() throws {
        let others = ["README", "night.css~", ".css", "._night.css", ".#night.css", ".dark.css"]
        let files = ["night.css": "a {}", "Big_2.css": ""]
        try withFiles(files.merging(others.map { ($0, "b") }) { $1 }) { path in
            let themes = try ThemesDirectory.themes(at: path)
            #expect(themes == ["night": OverlayTheme("a {}"), "Big_2": OverlayTheme("")])
        }
        #expect(try ThemesDirectory.themes(at: "").isEmpty)
    }

    @Test(
        "A file that cannot be a theme is a mistake, which names it",
        arguments: ["dark.css", "light.css", "a b.css", "a.b.css", "é.css", "large.css"])
    func mistakes(file: String) throws {
        let text = String(repeating: "a", count: file == "large.css" ? 64 * 1024 + 1 : 64 * 1024)
        try withFiles(["night.css": text, file: text]) { path in
            let mistake = #expect(throws: GatewayConfiguration.Mistake.self) { try ThemesDirectory.themes(at: path) }
            #expect(mistake?.description.contains("`\(file)`") == true)
        }
    }

    @Test("A pipe is no theme: nobody could read it again")
    func pipe() throws {
        try withFiles(["night.css": "a {}"]) { path in
            #expect(mkfifo("\(path)/pipe.css", 0o600) == 0)
            let mistake = #expect(throws: GatewayConfiguration.Mistake.self) { try ThemesDirectory.themes(at: path) }
            #expect(mistake?.description.contains("`pipe.css` of `overlay.themes` is a pipe") == true)
        }
    }

    @Test("A directory that is not there, and one with more than 100 themes, are mistakes")
    func directory() throws {
        #expect(throws: GatewayConfiguration.Mistake.self) { try ThemesDirectory.themes(at: "/nowhere/at/all") }
        for count in [100, 101] {
            let files = Dictionary(uniqueKeysWithValues: (1...count).map { ("theme-\($0).css", "") })
            try withFiles(files) { path in
                #expect((try? ThemesDirectory.themes(at: path))?.count == (count == 100 ? 100 : nil))
            }
        }
    }
}
