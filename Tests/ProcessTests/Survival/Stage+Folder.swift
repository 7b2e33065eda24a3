import Foundation
import PopupProtocol

// What tests ask a stage for.
extension Stage {
    /// A file of the data directory.
    struct DataFile {
        let path: String

        private func bytes() throws -> Data { try Data(contentsOf: URL(filePath: path)) }

        /// The end of its content: a WAL has zeros behind what is written.
        private func end(of bytes: Data) -> Int { (bytes.lastIndex { $0 != 0 } ?? -1) + 1 }

        /// Cuts it off at a part of its content.
        func cut(to part: Int, of parts: Int) throws {
            let bytes = try bytes()
            try bytes.prefix(end(of: bytes) * part / parts).write(to: URL(filePath: path))
        }

        /// Flips a bit at a part of its content.
        func flip(at part: Int, of parts: Int) throws {
            var bytes = try bytes()
            bytes[end(of: bytes) * part / parts] ^= 0x10
            try bytes.write(to: URL(filePath: path))
        }
    }

    /// The files of the data directory whose names fulfil a condition, in the order of these.
    func files(where isWanted: (String) -> Bool) throws -> [DataFile] {
        try FileManager.default.contentsOfDirectory(atPath: data).filter(isWanted).sorted()
            .map { DataFile(path: "\(data)/\($0)") }
    }

    /// The ids of the live popups of the group `lobby`, in order, when what was sent before is committed or refused.
    func lobby() throws -> [String] {
        let wire = try wire()
        try wire.settle()
        return try wire.ask(#""list":{"selector":{"group":"lobby"}}"#).list.popups.map(\.id)
    }

    /// Waits until all is closed but so many popups. Returns those in words.
    func waitUntilClosed(but count: UInt64, _ wire: Wire) throws -> [String] {
        let deadline = Deadline.after(.seconds(300))
        while try wire.ask(#""count":{"selector":{"group":"*"}}"#).count.popups > count, !deadline.isOver {}
        return try wire.ask(#""list":{"selector":{"group":"*"}}"#).list.popups.map(\.words)
    }

    /// Has the broker asked what became of all that it, or an outbox, has promised. Returns what is not closed.
    func audit() throws -> [String] {
        let promised = { (facts: Facts.Content) in facts.accepted.union(facts.safe) }(facts.now)
        let ids = try folder.write("ids", promised.sorted().joined(separator: "\n"))
        try start("auditor", "auditor", ids)
        try facts.wait(for: "the audit", before: .after(.seconds(300))) { $0.isAudited }
        let found = facts.now.found
        return promised.sorted().compactMap { id in
            let words = found[id] ?? "nothing"
            return words.hasPrefix("closed ") ? nil : "\(id): \(words)"
        }
    }
}
