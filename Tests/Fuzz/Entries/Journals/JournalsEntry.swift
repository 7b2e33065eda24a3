import Foundation
import Logging
@testable import PopupBroker
import PopupJournal
import PopupScheduling
@testable import PopupState
@testable import SQLiteJournal

/// A data directory with damages into recovery: it is opened or refused, what is whole gives a state, a second opening
/// finds nothing new, and the journal goes on.
enum JournalsEntry {
    private static let path = ScratchFolder.path("journal")
    private static let templates = DataDirectoryTemplates.all

    /// The first byte chooses the directory; then damages, each as `Damage` reads it.
    static func run(_ input: [UInt8]) throws -> Bool {
        var reader = InputReader(input)
        let template = templates[Int(reader.byte()) % templates.count]
        var files = template
        for _ in 0..<8 where !reader.isAtEnd { Damage(&reader, among: files.count).apply(to: &files) }
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        for file in files { try Data(file.bytes).write(to: URL(filePath: "\(path)/\(file.name)")) }

        guard let state = try recover(path) else { return false }
        guard let again = try recover(path) else { throw Finding("a directory that was opened is refused afterwards") }
        // A restart looks at what it needs: what else is damaged may be told later, but nothing twice.
        let twice = again.findings.filter(state.findings.contains)
        guard twice.isEmpty else { throw Finding("damage is told twice: \(twice)") }
        guard again.state == state.state else {
            throw Finding("a second recovery gives another state; told: \(state.findings); then: \(again.findings)")
        }
        guard again.epoch > state.epoch else { throw Finding("the epoch \(again.epoch) comes after \(state.epoch)") }
        return true
    }

    private static func recover(
        _ path: String
    ) throws -> (state: [UInt8], findings: [JournalFinding], epoch: UInt64)? {
        let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
        let journal = SQLiteJournal(
            directory: DataDirectory(path), durability: .normal,
            options: DataDirectoryTemplates.options(segmentBytes: DataDirectoryTemplates.segmentBytes), logger: logger)
        do {
            let opening = try journal.open()
            defer { try? journal.close() }
            let settings = JournaledSettings(limits: Limits(), seed: 0)
            var state = try BrokerState.recover(from: journal.newestSnapshot(), settings) {
                try journal.replay(from: $0, $1)
            }
            let broken = state.brokenInvariants()
            guard broken.isEmpty else { throw Finding(broken.joined(separator: "; ")) }
            let bytes = try state.snapshot().state
            return (bytes, opening.findings, opening.epoch)
        } catch let finding as Finding {
            throw finding
        } catch {
            return nil
        }
    }
}
