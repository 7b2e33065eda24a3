import Foundation
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

    /// Returns the description as a JSON object.
    func json() throws -> String {
        let object = Object(
            directory: info.directory, format: info.schemaVersion, process: info.process, epoch: info.epoch,
            lastSequence: info.lastSequence, lastTime: info.lastTime, bytes: size,
            segments: info.segments.map {
                Object.Segment(
                    file: $0.file, bytes: $0.size, batches: $0.batches, first: $0.range?.lowerBound,
                    last: $0.range?.upperBound, damage: $0.damage)
            },
            snapshots: info.snapshots.map {
                Object.Snapshot(
                    file: $0.file, bytes: $0.size, sequence: $0.sequence, time: $0.time, damage: $0.damage)
            },
            damaged: info.damaged)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(object), as: UTF8.self)
    }

    private struct Object: Encodable {
        struct Segment: Encodable {
            var file: String
            var bytes: Int
            var batches: Int
            var first: UInt64?
            var last: UInt64?
            var damage: String?
        }

        struct Snapshot: Encodable {
            var file: String
            var bytes: Int
            var sequence: UInt64
            var time: Int64?
            var damage: String?
        }

        var directory: String
        var format: Int
        var process: Int32?
        var epoch: UInt64
        var lastSequence: UInt64
        var lastTime: Int64?
        var bytes: Int
        var segments: [Segment]
        var snapshots: [Snapshot]
        var damaged: [String]
    }
}
