import Foundation
import PopupProtocol
import SQLiteJournal

/// The description of a journal as text and as JSON.
struct JournalDescription {
    private let info: JournalInfo

    init(_ info: JournalInfo) { self.info = info }

    /// The size of all its files, in bytes.
    private var size: Int { info.segments.reduce(0) { $0 + $1.size } + info.snapshots.reduce(0) { $0 + $1.size } }

    /// The description as text.
    var lines: [String] {
        var lines = [
            "directory \(info.directory)",
            "format    \(info.schemaVersion)",
            "in use    \(info.process.map { "by process \($0)" } ?? "no")",
            "epoch     \(info.epoch)",
            "batches   up to \(info.lastSequence)\(info.lastTime.map { ", at \(Self.time($0))" } ?? "")",
            "size      \(Self.size(size))",
        ]
        for segment in info.segments {
            let batches = segment.range.map { "\(segment.batches) batches, \($0.lowerBound) to \($0.upperBound)" }
            lines.append(line("segment", segment.file, batches ?? "no batches", segment.size, segment.damage))
        }
        for snapshot in info.snapshots {
            let time = snapshot.time.map { ", at \(Self.time($0))" } ?? ""
            lines.append(
                line("snapshot", snapshot.file, "of batch \(snapshot.sequence)\(time)", snapshot.size, snapshot.damage))
        }
        if !info.damaged.isEmpty {
            lines.append(
                "damaged   \(info.damaged.count == 1 ? "1 file" : "\(info.damaged.count) files") quarantined in \(info.directory)/damaged"
            )
        }
        return lines
    }

    private func line(_ what: String, _ file: String, _ content: String, _ size: Int, _ damage: String?) -> String {
        let damage = damage.map { "; DAMAGED: \($0)" } ?? ""
        return
            "\(what.padding(toLength: 9, withPad: " ", startingAt: 0)) \(file): \(content), \(Self.size(size))\(damage)"
    }

    /// Returns a time in the form `2026-11-21T18:00:00.123Z`.
    private static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<(1 << 10): "\(bytes) B"
        case ..<(1 << 20): "\(bytes >> 10) KiB"
        default: "\(bytes >> 20) MiB"
        }
    }

    /// The description as a JSON object.
    var json: String {
        AnyJSON(members: [
            "directory": .text(info.directory),
            "format": .number(info.schemaVersion),
            "process": info.process.map { .number($0) },
            "epoch": .number(info.epoch),
            "lastSequence": .number(info.lastSequence),
            "lastTime": info.lastTime.map { .number($0) },
            "bytes": .number(size),
            "segments": .list(
                info.segments.map { segment in
                    AnyJSON(members: [
                        "file": .text(segment.file),
                        "bytes": .number(segment.size),
                        "batches": .number(segment.batches),
                        "first": segment.range.map { .number($0.lowerBound) },
                        "last": segment.range.map { .number($0.upperBound) },
                        "damage": segment.damage.map { .text($0) },
                    ])
                }),
            "snapshots": .list(
                info.snapshots.map { snapshot in
                    AnyJSON(members: [
                        "file": .text(snapshot.file),
                        "bytes": .number(snapshot.size),
                        "sequence": .number(snapshot.sequence),
                        "time": snapshot.time.map { .number($0) },
                        "damage": snapshot.damage.map { .text($0) },
                    ])
                }),
            "damaged": .list(info.damaged.map { .text($0) }),
        ]).json
    }
}
