import PopupJournal

/// The data directory of a journal, and the names of its files.
///
///     lock                                 held by the broker that writes; names its process
///     mark                                 the last batch committed and the time, written without waiting for the disk
///     journal-00000000000000000001.sqlite  a segment: batches from this one on, with SQLite's -wal and -shm
///     snapshot-00000000000000004711        the result of all batches up to this one
///     findings                             findings of an opening that are not reported yet
///     damaged/                             the quarantine: damaged files; never removed by the journal
///
/// Other files exist for a while, and are removed or finished at the next opening: `prepared.sqlite`, with its WAL, and
/// `beginning.sqlite` become segments, `prepared.sqlite-reserve` such a WAL, `snapshot.temporary` a snapshot,
/// `salvage.sqlite` and `salvaged-….sqlite` a segment in place of a damaged one.
public struct DataDirectory: Sendable, Hashable {
    /// The upper limit of the numbers of batches, openings and snapshots. Greater numbers, also in names, are damage.
    static let maxSequence: UInt64 = 1 << 62

    /// The path, as it was given.
    public let path: String

    /// Creates a reference to a directory, which need not exist.
    public init(_ path: String) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    var lock: String { path + "/lock" }
    var mark: String { path + "/mark" }
    var findings: String { path + "/findings" }
    var temporaryFindings: String { path + "/findings.temporary" }
    var damaged: String { path + "/damaged" }
    var prepared: String { path + "/prepared.sqlite" }
    var walReserve: String { path + "/prepared.sqlite-reserve" }
    var beginning: String { path + "/beginning.sqlite" }
    var salvage: String { path + "/salvage.sqlite" }
    var temporarySnapshot: String { path + "/snapshot.temporary" }

    func segment(_ first: UInt64) -> String { path + "/" + Self.segmentName(first) }
    func salvaged(_ first: UInt64) -> String { path + "/salvaged-" + Self.digits(first) + ".sqlite" }
    func snapshot(_ sequence: UInt64) -> String { path + "/" + Self.snapshotName(sequence) }

    static func segmentName(_ first: UInt64) -> String { "journal-" + digits(first) + ".sqlite" }
    static func snapshotName(_ sequence: UInt64) -> String { "snapshot-" + digits(sequence) }

    /// The suffixes of the files that SQLite keeps for a database.
    static let companions = [WAL.suffix, "-shm", "-journal"]

    // 20 digits suffice for every UInt64, so that the names sort like the numbers.
    private static func digits(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 20 - digits.count) + digits
    }

    private static func number(in name: String, after prefix: String, before suffix: String = "") -> UInt64? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        guard digits.utf8.count == 20, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(digits)
    }

    /// Returns the reason why a file with a name of the journal cannot be one of its files; `nil` if it can be, or if
    /// the name is not one of the journal's.
    private func foreignReason(_ name: String) -> String? {
        let beginnings = [
            "journal-", "snapshot-", "salvaged-", "prepared.sqlite", "beginning.sqlite", "salvage.sqlite",
        ]
        let names = ["mark", "findings", "snapshot.temporary", "findings.temporary"]
        guard names.contains(name) || beginnings.contains(where: name.hasPrefix) else { return nil }
        if let reason = Files.foreignKind(path + "/" + name) { return reason }
        let number = name.split { !("0"..."9").contains($0) }.first.flatMap { UInt64($0) }
        return number.map { $0 > Self.maxSequence } == true ? "its number is impossible" : nil
    }

    /// The entries of a data directory, by kind.
    struct Contents {
        /// The first sequences of the segments, ascending.
        var segments: [UInt64] = []
        /// The sequences of the snapshots, ascending.
        var snapshots: [UInt64] = []
        /// The first sequences of salvaged segments that have not yet replaced the damaged ones.
        var salvaged: [UInt64] = []
        /// The names of files that a stopped process has left unfinished.
        var temporary: [String] = []
        /// The entries that have a name of the journal's, but cannot be its files, with the reasons.
        var foreign: [(name: String, reason: String)] = []
        /// The names of SQLite's files that belong to missing segments.
        var orphans: [String] = []
        /// The names of all other entries.
        var others: [String] = []
        var hasMark = false
        var hasLock = false

        /// The findings about `foreign`. The mark is left out: its reader reports it.
        var foreignFindings: [JournalFinding] {
            foreign.filter { $0.name != "mark" }.map { .damagedFile(file: $0.name, reason: $0.reason) }
        }

        /// Whether the directory contains a journal, or once did.
        var isJournal: Bool { hasMark || hasLock || holdsBatches }

        /// Whether the directory contains a file that only a journal has.
        var holdsBatches: Bool {
            !segments.isEmpty || !snapshots.isEmpty || !salvaged.isEmpty || !foreign.isEmpty
        }
    }

    /// Returns the entries of the directory; `nil` if it does not exist.
    func contents() throws(SQLiteJournalError) -> Contents? {
        guard let names = try Files.names(in: path) else { return nil }
        var contents = Contents()
        var companions: [(name: String, of: UInt64)] = []
        for name in names {
            if let reason = foreignReason(name) {
                contents.foreign.append((name, reason))
            } else if let first = Self.number(in: name, after: "journal-", before: ".sqlite") {
                contents.segments.append(first)
            } else if let sequence = Self.number(in: name, after: "snapshot-") {
                contents.snapshots.append(sequence)
            } else if let first = Self.number(in: name, after: "salvaged-", before: ".sqlite") {
                contents.salvaged.append(first)
            } else if let suffix = Self.companions.first(where: { name.hasSuffix($0) }),
                let first = Self.number(in: name, after: "journal-", before: ".sqlite" + suffix)
            {
                companions.append((name, first))
            } else if ["prepared.sqlite", "beginning.sqlite", "salvage.sqlite"].contains(where: name.hasPrefix)
                || name == "snapshot.temporary" || name == "findings.temporary"
            {
                contents.temporary.append(name)
            } else {
                switch name {
                case "lock": contents.hasLock = true
                case "mark": contents.hasMark = true
                case "damaged", "findings", "lost+found": break
                default: contents.others.append(name)
                }
            }
        }
        contents.orphans = companions.filter { !contents.segments.contains($0.of) }.map(\.name)
        return contents
    }
}
