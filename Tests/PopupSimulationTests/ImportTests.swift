import Foundation
import Testing

@Suite("The target of simulations")
struct ImportTests {
    @Test("imports the state machine only: no loop, sockets, files or threads")
    func imports() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/PopupSimulation").resolvingSymlinksInPath()
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        #expect(files.count > 4)
        let allowed: Set = ["PopupJournal", "PopupProtocol", "PopupScheduling", "PopupState", "SwiftProtobuf"]
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            let imports = text.matches(of: /(?m)^(?:\w+ )?import (\w+)$/).map { String($0.1) }
            #expect(allowed.isSuperset(of: imports), "\(file.lastPathComponent)")
        }
    }
}
