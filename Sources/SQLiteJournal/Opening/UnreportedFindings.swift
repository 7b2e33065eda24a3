import Checksums
import PopupJournal
import SystemCalls

/// The file with the findings of openings that are not reported yet. It is written before anything is moved or
/// replaced, and removed when the journal is in use. If a process is killed in between, the next one reports them.
///
/// One line per finding, with fields separated by tabs. The last line is the checksum of the others.
struct UnreportedFindings {
    /// The maximum size in bytes. A longer file was not written by this program.
    private static let maxBytes = 1 << 20

    let directory: DataDirectory

    /// Returns the findings in the file. A damaged file is a finding itself.
    func read() throws(SQLiteJournalError) -> [JournalFinding] {
        guard Files.isRegular(directory.findings) else { return [] }
        let damaged = [JournalFinding.damagedFile(file: "findings", reason: "its checksum is wrong")]
        let size = Files.size(directory.findings)
        guard size <= Self.maxBytes else { return damaged }
        let descriptor = try Files.open(directory.findings, O_RDONLY)
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { buffer.deallocate() }
        let count = try Files.read(buffer, from: descriptor, path: directory.findings)
        let text = String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 2, lines.last == "" else { return damaged }
        let body = lines.dropLast(2)
        guard lines[lines.count - 2] == Self.checksum(body.map { "\($0)\n" }.joined()) else { return damaged }
        return body.map { JournalFinding(line: $0) ?? damaged[0] }
    }

    /// Replaces the file. It is on disk when this returns.
    func write(_ findings: [JournalFinding]) throws(SQLiteJournalError) {
        guard !findings.isEmpty else { return try remove() }
        let body = findings.map { $0.line + "\n" }.joined()
        let bytes = Array((body + Self.checksum(body) + "\n").utf8)
        let path = directory.temporaryFindings
        try Files.remove(path)
        let descriptor = try Files.open(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        let result: Result<Void, SQLiteJournalError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(SQLiteJournalError) in try Files.write(bytes, to: descriptor, path: path) }
        }
        try result.get()
        try Files.synchronize(descriptor, path: path)
        try Files.rename(path, to: directory.findings)
        try Files.synchronize(directory.path)
    }

    /// Removes the file, since its findings are reported.
    func remove() throws(SQLiteJournalError) {
        guard Files.exists(directory.findings) else { return }
        try Files.remove(directory.findings)
    }

    private static func checksum(_ body: String) -> String {
        "checksum\t" + String(Array(body.utf8).span.bytes.withUnsafeBytes { CRC32C.checksum(of: $0) }, radix: 16)
    }
}

extension JournalFinding {
    /// The maximum number of findings that are reported one by one. One more finding gives the number of the others.
    static let maxReported = 1000

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
        let numbers = fields.dropFirst().compactMap { UInt64($0) }.filter { $0 <= DataDirectory.maxSequence }
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
    /// Returns these findings and the unreported ones of earlier openings, without batches that are intact after all.
    func joined(withUnreported unreported: [JournalFinding], intact: RangeSet<UInt64>) -> [JournalFinding] {
        guard !unreported.isEmpty else { return self }
        var absent = RangeSet<UInt64>()
        var others: [JournalFinding] = []
        var seen: Set<JournalFinding> = []
        for finding in unreported + self {
            switch finding {
            case .missing(let range): absent.insert(range)
            case .damagedBatch(let sequence) where intact.contains(sequence): continue
            case .damagedBatch, .damagedSnapshot, .damagedFile:
                if seen.insert(finding).inserted { others.append(finding) }
            }
        }
        absent.subtract(intact)
        absent.subtract(
            RangeSet(
                ascending: others.compactMap { finding in
                    if case .damagedBatch(let sequence) = finding { sequence } else { nil }
                }.sorted()))
        return others + absent.closedRanges.map { .missing($0) }
    }

    /// The findings, at most `maxReported`, and one more that gives the number of the others.
    var bounded: [JournalFinding] {
        guard count > JournalFinding.maxReported else { return self }
        let rest = count - JournalFinding.maxReported
        return prefix(JournalFinding.maxReported) + [.damagedFile(file: "the journal", reason: "\(rest) more findings")]
    }
}
