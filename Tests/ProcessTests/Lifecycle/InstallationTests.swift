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

    private static let bin = URL(filePath: Programs.broker).deletingLastPathComponent()

    /// Runs `Scripts/install.sh` for this folder, with the programs of these tests, and returns its end.
    private func end(of what: String, _ settings: [String: String] = [:]) throws -> ChildProcess.Result {
        try ChildProcess(
            Self.package.appending(path: "Scripts/install.sh").path, [what],
            environment: ["BIN": Self.bin.path, "PREFIX": "/opt/popups", "DESTDIR": folder.url.path]
                .merging(settings) { $1 }
        ).result(before: .after(.seconds(300)))
    }

    private func run(_ what: String, _ settings: [String: String] = [:]) throws {
        let result = try end(of: what, settings)
        #expect(result.exit == .code(0), "\(result.error)")
    }

    /// Returns the files that each program has.
    private func files(of program: String) -> [String] {
        [
            "opt/popups/bin/\(program)", "opt/popups/share/man/man1/\(program).1",
            "opt/popups/share/bash-completion/completions/\(program)",
            "opt/popups/share/fish/vendor_completions.d/\(program).fish",
            "opt/popups/share/zsh/site-functions/_\(program)",
        ]
    }

    /// Makes a folder with the programs of these tests and a stand-in for the gateway, which is built by another package: it
    /// describes its commands as popupctl does, with the gateway's name.
    private func binWithGateway() throws -> TemporaryDirectory {
        let bin = try TemporaryDirectory()
        for program in ["popup-broker", "popupctl"] {
            try FileManager.default.createSymbolicLink(
                at: bin.url.appending(path: program), withDestinationURL: Self.bin.appending(path: program))
        }
        let gateway = try bin.write(
            "popup-gateway",
            """
            #!/bin/sh
            '\(Self.bin.path)/popupctl' "$@" | sed s/popupctl/popup-gateway/g

            """)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: gateway)
        return bin
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
            programs.flatMap(files(of:)) + [configuration, "opt/popups/lib/systemd/system/popup-broker.service"]
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
    @Test("has the gateway, too, with its units, if PROGRAMS names it; its configuration stays when it is removed")
    func gateway() throws {
        let bin = try binWithGateway()
        try run("install", ["BIN": bin.url.path, "PROGRAMS": "popup-gateway"])
        let configuration = "etc/popup-gateway/popup-gateway.yaml"
        let units = ["service", "socket"].map { "opt/popups/lib/systemd/system/popup-gateway.\($0)" }
        #expect(files == (files(of: "popup-gateway") + units + [configuration]).sorted())

        let unit = try text(units[0])
        #expect(unit.contains("ExecStart=/opt/popups/bin/popup-gateway run --config /\(configuration)\n"))
        #expect(!unit.contains("/usr/bin/popup-gateway"))
        let packaging = Self.package.appending(path: "Packaging")
        #expect(
            try text(units[1])
                == String(contentsOf: packaging.appending(path: "systemd/popup-gateway.socket"), encoding: .utf8))
        #expect(
            try text(configuration)
                == String(contentsOf: packaging.appending(path: "popup-gateway.yaml"), encoding: .utf8))
        let manual = try text("opt/popups/share/man/man1/popup-gateway.1")
        #expect(manual.contains("\n.Sh NAME\n.Nm popup-gateway\n"))
        #expect(try text("opt/popups/share/bash-completion/completions/popup-gateway").contains("complete "))

        // Beside broker and popupctl, whose pages refer to it then. What the administrator has changed stays.
        try folder.write(configuration, "drainMs: 1000\n")
        try run("install", ["BIN": bin.url.path, "PROGRAMS": "popup-broker popupctl popup-gateway"])
        #expect(try text("opt/popups/share/man/man1/popupctl.1").contains("\n.Xr popup-gateway 1"))
        #expect(try text(configuration) == "drainMs: 1000\n")

        try run("uninstall")
        #expect(files == ["etc/popup-broker/popup-broker.yaml", configuration])
    }

    @Test("of a program that does not exist is refused before anything is installed")
    func unknownProgram() throws {
        let result = try end(of: "install", ["PROGRAMS": "popupctl popup-gatewya"])
        #expect(result.exit == .code(64))
        #expect(result.error.contains("popup-gatewya"))
        #expect(files == [])
    }
}
