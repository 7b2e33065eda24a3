import Foundation
import Testing
import TestPrograms

@Suite("An installation", .ownThread)
struct InstallationTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Runs `Scripts/install.sh` for this folder, with the programs of these tests.
    private func run(_ what: String) throws {
        let result = try ChildProcess(
            Self.package.appending(path: "Scripts/install.sh").path, [what],
            environment: [
                "BIN": URL(filePath: Programs.broker).deletingLastPathComponent().path, "PREFIX": "/opt/popups",
                "DESTDIR": folder.url.path,
            ]
        ).result(before: .after(.seconds(60)))
        #expect(result.exit == .code(0), "\(result.error)")
    }

    /// The text of an installed file.
    private func text(_ path: String) throws -> String {
        try String(contentsOf: folder.url.appending(path: path), encoding: .utf8)
    }

    private var files: [String] {
        let paths = FileManager.default.enumerator(atPath: folder.url.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder.path(path), isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }.sorted()
    }

    @Test("has programs, unit, configuration, manual pages and completions; it is removed but for its configuration")
    func installation() throws {
        try run("install")
        let configuration = "etc/popup-broker/popup-broker.yaml"
        let programs = ["popup-broker", "popupctl"]
        let expected =
            programs.flatMap { program in
                [
                    "opt/popups/bin/\(program)", "opt/popups/share/man/man1/\(program).1",
                    "opt/popups/share/bash-completion/completions/\(program)",
                    "opt/popups/share/fish/vendor_completions.d/\(program).fish",
                    "opt/popups/share/zsh/site-functions/_\(program)",
                ]
            } + [configuration, "opt/popups/lib/systemd/system/popup-broker.service"]
        #expect(files == expected.sorted())

        let unit = try text("opt/popups/lib/systemd/system/popup-broker.service")
        #expect(unit.contains("ExecStart=/opt/popups/bin/popup-broker run --config /\(configuration)\n"))
        let broker = folder.path("opt/popups/bin/popup-broker")
        let check = try ChildProcess(broker, ["check-config", folder.path(configuration)]).result()
        #expect(check.exit == .code(0))
        #expect(check.error == "")
        let manual = try text("opt/popups/share/man/man1/popup-broker.1")
        for heading in [".Sh NAME", ".Sh SYNOPSIS", ".Ss run", ".Ss journal backup", ".Xr popupctl 1"] {
            #expect(manual.contains("\n\(heading)\n"))
        }
        #expect(try text("opt/popups/share/man/man1/popupctl.1").contains("Fl \\-group Ar group\n"))
        #expect(
            try text("opt/popups/share/man/man1/popupctl.1").contains(
                ".Bd -literal -offset indent\npopupctl clear lobby\npopupctl clear "))
        #expect(try text("opt/popups/share/bash-completion/completions/popupctl").contains("complete "))

        // An update keeps what the administrator has changed.
        try folder.write(configuration, "limits: {groups: 500}\n")
        try run("install")
        #expect(try text(configuration) == "limits: {groups: 500}\n")

        try run("uninstall")
        #expect(files == [configuration])
    }
}
