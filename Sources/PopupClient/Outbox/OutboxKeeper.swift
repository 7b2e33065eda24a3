import PopupProtocol

/// The outbox file of a connection, used by its thread.
///
///     store ──▶ on disk ──▶ sent ──▶ settle ──▶ if most of the file is settled: replaced
///
/// After a failed write, nothing more is stored until the connection is opened again, because a disk that has lost a write
/// may lose the next one.
final class OutboxKeeper {
    /// The size in bytes from which on a file is replaced.
    static let minCompactionBytes = 64 * 1024

    private var file: OutboxFile
    private(set) var contents: OutboxContents
    /// The content of the file when it was opened.
    let status: OutboxStatus
    private var failure: ClientError?

    /// Opens a file, and reads the commands to be sent.
    ///
    /// - Parameter name: The producer name for a new file, and for one whose own name cannot be used.
    /// - Throws: `ClientError`: `outboxInUse`, `outboxFailed`, `noOutbox`.
    init(path: String, newName name: ProducerName) throws(ClientError) {
        var file = try OutboxFile(path: path)
        guard let reading = OutboxContents.read(try file.read(), newName: name) else { throw .noOutbox(path) }
        contents = reading.contents
        status = OutboxStatus(
            path: path, recovered: contents.commands.count, lostBytes: reading.lostBytes)
        // Damaged bytes must not remain between intact records.
        try file.replace(with: contents.file)
        self.file = file
    }

    /// Writes commands to disk.
    ///
    /// - Returns: The sequence of the first of them.
    /// - Throws: `ClientError.outboxFailed`; then they are not stored.
    func store(_ bodies: [[UInt8]]) throws(ClientError) -> UInt64 {
        if let failure { throw failure }
        let first = contents.next
        var after = contents
        let bytes = after.add(bodies)
        do throws(ClientError) {
            try file.append(bytes, isSafe: true)
        } catch {
            failure = error
            throw error
        }
        contents = after
        return first
    }

    /// Records settled commands. If this record is lost, they are sent again, without effect.
    func settle(_ sequences: [UInt64]) {
        let bytes = contents.settle(sequences)
        guard failure == nil else { return }
        do throws(ClientError) {
            try file.append(bytes, isSafe: false)
            if file.count >= Self.minCompactionBytes, file.count > 2 * contents.openBytes {
                try file.replace(with: contents.file)
            }
        } catch {
            failure = error
        }
    }

    /// Continues with the open commands under another name.
    func startOver(as name: ProducerName) throws(ClientError) {
        contents.startOver(as: name)
        if let failure { throw failure }
        do throws(ClientError) {
            try file.replace(with: contents.file)
        } catch {
            failure = error
            throw error
        }
    }
}
