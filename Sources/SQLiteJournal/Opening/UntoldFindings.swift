import Checksums
import PopupJournal
import SystemCalls

/// What openings have found and not told yet, in a file of its own: it is there before anything is moved or replaced,
/// and goes when the journal is used. A process that is killed in between leaves it to the next, which tells it.
///
/// A line each, fields separated by tabs; the last line has the checksum of those before.
struct UntoldFindings {
    /// In bytes; a longer file is none that was written here.
    private static let mostBytes = 1 << 20

    let folder: DataDirectory

    /// What is there. A file that isn't as it was written is a finding itself.
    func read() throws(SQLiteJournalError) -> [JournalFinding] {
        guard Files.isRegular(folder.findings) else { return [] }
        let damaged = [JournalFinding.damagedFile(file: "findings", reason: "its checksum is wrong")]
        let size = Files.size(folder.findings)
        guard size <= Self.mostBytes else { return damaged }
        let descriptor = try Files.open(folder.findings, O_RDONLY)
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { buffer.deallocate() }
        let count = try Files.read(buffer, from: descriptor, path: folder.findings)
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, lines.last == "" else { return damaged }
        let body = lines.dropLast(2)
        guard lines[lines.count - 2] == Self.checksum(body.map { "\($0)\n" }.joined()) else { return damaged }
        return body.map { JournalFinding(line: $0) ?? damaged[0] }
    }

    /// Replaces what is there; it is on disk when this returns.
    func write(_ findings: [JournalFinding]) throws(SQLiteJournalError) {
        guard !findings.isEmpty else { return try remove() }
        let body = findings.map { $0.line + "\n" }.joined()
        let bytes = Array((body + Self.checksum(body) + "\n").utf8)
        let path = folder.temporaryFindings
        try Files.remove(path)
        let descriptor = try Files.open(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        let result: Result<Void, SQLiteJournalError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(SQLiteJournalError) in try Files.write(bytes, to: descriptor, path: path) }
        }
        try result.get()
        try Files.synchronize(descriptor, path: path)
        try Files.rename(path, to: folder.findings)
        try Files.synchronize(folder.path)
    }

    /// They are told.
    func remove() throws(SQLiteJournalError) {
        guard Files.exists(folder.findings) else { return }
        try Files.remove(folder.findings)
    }

    private static func checksum(_ body: String) -> String {
        "checksum\t" + String(Array(body.utf8).span.bytes.withUnsafeBytes { CRC32C.checksum(of: $0) }, radix: 16)
    }
}

extension JournalFinding {
    /// Findings that are told one by one; how many there are beyond is told in one.
    static let mostTold = 1000

    fileprivate var line: String {
        func field(_ text: String) -> String { String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }) }
        return switch self {
        case .missing(let range): "missing\t\(range.lowerBound)\t\(range.upperBound)"
        case .damagedBatch(let sequence): "batch\t\(sequence)"
        case .damagedSnapshot(let file, let reason): "snapshot\t\(field(file))\t\(field(reason))"
        case .damagedFile(let file, let reason): "file\t\(field(file))\t\(field(reason))"
        }
    }

    fileprivate init?(line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        let numbers = fields.dropFirst().compactMap { UInt64($0) }.filter { $0 <= DataDirectory.mostSequence }
        switch (fields.first, fields.count) {
        case ("missing", 3) where numbers.count == 2 && numbers[0] <= numbers[1]:
            self = .missing(numbers[0]...numbers[1])
        case ("batch", 2) where numbers.count == 1: self = .damagedBatch(numbers[0])
        case ("snapshot", 3): self = .damagedSnapshot(file: fields[1], reason: fields[2])
        case ("file", 3): self = .damagedFile(file: fields[1], reason: fields[2])
        default: return nil
        }
    }
}

extension [JournalFinding] {
    /// These and what an opening before has found and not told, without the batches that are there after all.
    func joined(withUntold untold: [JournalFinding], whole: RangeSet<UInt64>) -> [JournalFinding] {
        guard !untold.isEmpty else { return self }
        var absent = RangeSet<UInt64>()
        var others: [JournalFinding] = []
        var seen: Set<JournalFinding> = []
        for finding in untold + self {
            switch finding {
            case .missing(let range): absent.insert(range)
            case .damagedBatch(let sequence) where whole.contains(sequence): continue
            case .damagedBatch, .damagedSnapshot, .damagedFile:
                if seen.insert(finding).inserted { others.append(finding) }
            }
        }
        absent.subtract(whole)
        absent.subtract(
            RangeSet(
                ascending: others.compactMap { finding in
                    if case .damagedBatch(let sequence) = finding { sequence } else { nil }
                }.sorted()))
        return others + absent.closedRanges.map { .missing($0) }
    }

    /// No more of them than are told one by one.
    var bounded: [JournalFinding] {
        guard count > JournalFinding.mostTold else { return self }
        let rest = count - JournalFinding.mostTold
        return prefix(JournalFinding.mostTold) + [.damagedFile(file: "the journal", reason: "\(rest) more findings")]
    }
}
