import Foundation
import TestPrograms

/// A disk that fails below a folder as it is told, for programs that are started with its environment. See
/// `Tests/DiskFaults/disk-faults.c`, which is compiled when it is needed first.
final class DiskFaults {
    private static let library = Result { try compile() }

    /// For the program.
    let environment: [String: String]
    private let rules: String

    /// A disk without faults.
    ///
    /// - Parameters:
    ///   - path: Of a folder in `folder`, which holds the rules, too.
    init(below path: String, in folder: TemporaryDirectory, seed: UInt64 = 1) throws {
        rules = folder.path("faults")
        environment = [
            "LD_PRELOAD": try Self.library.get(), "DISK_FAULTS_FOLDER": path, "DISK_FAULTS_RULES": rules,
            "DISK_FAULTS_SEED": "\(seed)",
        ]
    }

    /// From now on these rules hold, and no others.
    func set(_ rules: String...) throws {
        let text = rules.map { $0 + "\n" }.joined()
        try text.write(toFile: self.rules, atomically: true, encoding: .utf8)
    }

    private static func compile() throws -> String {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "DiskFaults/disk-faults.c").path
        let library = FileManager.default.temporaryDirectory.appending(path: "disk-faults-\(getpid()).so").path
        let result = try ChildProcess(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o", library, source]
        ).result(before: .after(.seconds(60)))
        guard result.exit == .code(0) else { throw NotInTime(description: "cc: \(result.error)") }
        return library
    }
}
