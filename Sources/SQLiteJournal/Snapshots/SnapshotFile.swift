import Checksums
import PopupJournal
import SystemCalls

/// The header of a snapshot file, and the reading and writing of such files.
///
/// The header has 56 bytes, little-endian; the state follows:
///
///      0  "PopSnap1": the format and its version
///      8  sequence
///     16  time, in ms by the broker's clock
///     24  epoch in which it was made
///     32  the state's length in bytes
///     40  CRC-32C of the state (4), 0 (4)
///     48  CRC-32C of the 48 bytes before (4), 0 (4)
struct SnapshotFile: Sendable, Hashable {
    var sequence: UInt64
    var time: Int64
    var epoch: UInt64
    var length: UInt64
    var checksum: UInt32

    static let headerSize = 56
    private static let version: UInt8 = 1
    // "PopSnap" and the version's digit.
    private static let magic: UInt64 = 0x0070_616E_5370_6F50

    /// Writes a snapshot to a temporary file and renames it. It is on disk when this returns. Replaces a file of the
    /// same sequence. Leaves no file if it throws.
    static func write(_ snapshot: JournalSnapshot, epoch: UInt64, to directory: DataDirectory)
        throws(SQLiteJournalError)
    {
        let temporary = directory.temporarySnapshot
        try Files.remove(temporary)
        do {
            try writeContent(snapshot, epoch: epoch, to: temporary)
            try Files.rename(temporary, to: directory.snapshot(snapshot.sequence))
        } catch {
            try? Files.remove(temporary)
            throw error
        }
        try Files.synchronize(directory.path)
    }

    private static func writeContent(
        _ snapshot: JournalSnapshot, epoch: UInt64, to path: String
    ) throws(SQLiteJournalError) {
        let descriptor = try Files.open(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        // Written from the array's memory: a state of hundreds of MB is not copied.
        let state = snapshot.state.span.bytes
        let checksum = state.withUnsafeBytes { CRC32C.checksum(of: $0) }
        var words: [UInt64] = [
            magic | UInt64(0x30 + version) << 56, snapshot.sequence, UInt64(bitPattern: snapshot.time), epoch,
            UInt64(snapshot.state.count), UInt64(checksum),
        ].map(\.littleEndian)
        words.append(UInt64(words.withUnsafeBytes { CRC32C.checksum(of: $0) }).littleEndian)
        let written: Result<Void, SQLiteJournalError> = words.withUnsafeBytes { header in
            state.withUnsafeBytes { state in
                do throws(SQLiteJournalError) {
                    try Files.write(header, to: descriptor, path: path)
                    try Files.write(state, to: descriptor, path: path)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
        }
        try written.get()
        try Files.synchronize(descriptor, path: path)
    }

    /// Reads a header. Afterwards, the descriptor is at the beginning of the state.
    ///
    /// - Throws: `damaged` if the header is damaged or the file has another length than it says; `newerVersion`.
    private init(_ descriptor: Int32, path: String, of name: UInt64) throws(SQLiteJournalError) {
        var words = [UInt64](repeating: 0, count: Self.headerSize / 8)
        let count = try Self.readWords(&words, descriptor, path: path)
        guard count == Self.headerSize else {
            throw .damaged(path: path, reason: "it ends after \(count) bytes, within its header")
        }
        let fits = words.withUnsafeBytes { CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: $0[..<48])) }
        words = words.map { UInt64(littleEndian: $0) }
        guard words[6] == UInt64(fits), words[0] & 0x00FF_FFFF_FFFF_FFFF == Self.magic else {
            throw .damaged(path: path, reason: "the checksum of its header is wrong")
        }
        let version = Int(words[0] >> 56) - 0x30
        guard version == Self.version else {
            throw .newerVersion(file: path, version: version, known: Int(Self.version))
        }
        (sequence, time, epoch, length) = (words[1], Int64(bitPattern: words[2]), words[3], words[4])
        checksum = UInt32(truncatingIfNeeded: words[5])
        guard sequence == name else {
            throw .damaged(path: path, reason: "it is the snapshot of batch \(sequence)")
        }
        guard epoch <= DataDirectory.maxSequence, time.magnitude <= UInt64(StoredBatch.maxTime) else {
            throw .damaged(path: path, reason: "its epoch or its time is impossible")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("read", path) }
        guard UInt64(status.st_size) == length &+ UInt64(Self.headerSize) else {
            throw .damaged(
                path: path,
                reason: "it has \(status.st_size) bytes instead of \(length &+ UInt64(Self.headerSize))")
        }
    }

    /// Reads a snapshot.
    ///
    /// - Throws: `damaged`, `newerVersion`, or the error of a system call.
    static func read(
        _ sequence: UInt64, in directory: DataDirectory
    ) throws(SQLiteJournalError) -> (file: SnapshotFile, snapshot: JournalSnapshot) {
        let path = directory.snapshot(sequence)
        let descriptor = try Files.open(path, O_RDONLY)
        defer { close(descriptor) }
        let file = try SnapshotFile(descriptor, path: path, of: sequence)
        var failure: SQLiteJournalError?
        // The file was found to have this length.
        let state = [UInt8](unsafeUninitializedCapacity: Int(file.length)) { buffer, count in
            do throws(SQLiteJournalError) {
                count = try Files.read(UnsafeMutableRawBufferPointer(buffer), from: descriptor, path: path)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        guard state.span.bytes.withUnsafeBytes({ CRC32C.checksum(of: $0) }) == file.checksum else {
            throw .damaged(path: path, reason: "the checksum of its content is wrong")
        }
        return (file, JournalSnapshot(sequence: file.sequence, time: file.time, state: state))
    }

    /// Reads only a header.
    static func header(_ sequence: UInt64, in directory: DataDirectory) throws(SQLiteJournalError) -> SnapshotFile {
        let path = directory.snapshot(sequence)
        let descriptor = try Files.open(path, O_RDONLY)
        defer { close(descriptor) }
        return try SnapshotFile(descriptor, path: path, of: sequence)
    }

    /// Checks a snapshot. Only a part of it is in memory at a time.
    ///
    /// - Throws: As `read`.
    static func verify(_ sequence: UInt64, in directory: DataDirectory) throws(SQLiteJournalError) -> SnapshotFile {
        let path = directory.snapshot(sequence)
        let descriptor = try Files.open(path, O_RDONLY)
        defer { close(descriptor) }
        let file = try SnapshotFile(descriptor, path: path, of: sequence)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var checksum = CRC32C()
        while true {
            let count = try Files.read(buffer, from: descriptor, path: path)
            if count == 0 { break }
            checksum.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard checksum.value == file.checksum else {
            throw .damaged(path: path, reason: "the checksum of its content is wrong")
        }
        return file
    }

    private static func readWords(
        _ words: inout [UInt64], _ descriptor: Int32, path: String
    ) throws(SQLiteJournalError) -> Int {
        let read: Result<Int, SQLiteJournalError> = words.withUnsafeMutableBytes { bytes in
            do throws(SQLiteJournalError) {
                return .success(try Files.read(bytes, from: descriptor, path: path))
            } catch {
                return .failure(error)
            }
        }
        return try read.get()
    }
}
