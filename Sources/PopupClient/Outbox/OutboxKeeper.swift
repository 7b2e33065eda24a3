import PopupProtocol

/// Keeps an outbox file in step with what is to be sent. It belongs to the connection's thread.
///
///     store ──▶ on disk ──▶ sent ──▶ settle ──▶ most of the file is settled: written anew
///
/// When writing has failed, nothing more is stored until the connection is opened again: a disk that has lost a write is
/// not to be trusted with the next one.
final class OutboxKeeper {
    /// A file of fewer bytes is not worth writing anew.
    static let leastCompaction = 64 * 1024

    private var file: OutboxFile
    private(set) var contents: OutboxContents
    /// What was found in the file.
    let status: OutboxStatus
    private var failure: ClientError?

    /// Opens a file and reads what is to be sent.
    ///
    /// - Parameter name: of a new file, and of one whose own cannot be used.
    /// - Throws: `ClientError`: `outboxInUse`, `outboxFailed`, `noOutbox`.
    init(path: String, newName name: ProducerName) throws(ClientError) {
        var file = try OutboxFile(path: path)
        guard let reading = OutboxContents.read(try file.read(), newName: name) else { throw .noOutbox(path) }
        contents = reading.contents
        status = OutboxStatus(
            path: path, recovered: contents.commands.count, lostBytes: reading.lostBytes)
        // What was lost must not stand between what is whole.
        try file.replace(with: contents.file)
        self.file = file
    }

    /// Puts commands on disk.
    ///
    /// - Returns: the sequence of the first of them.
    /// - Throws: `ClientError.outboxFailed`; they are not stored then.
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

    /// Notes what need not be sent again. When that is lost it is sent again, which changes nothing.
    func settle(_ sequences: [UInt64]) {
        let bytes = contents.settle(sequences)
        guard failure == nil else { return }
        do throws(ClientError) {
            try file.append(bytes, isSafe: false)
            if file.count >= Self.leastCompaction, file.count > 2 * contents.openBytes {
                try file.replace(with: contents.file)
            }
        } catch {
            failure = error
        }
    }

    /// The open commands go on under another name.
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
