import PopupProtocol
import Synchronization

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

extension OutboxKeeper {
    /// Stores the commands that are to be sent for the first time, and records those that are settled.
    func keepUp(with mailbox: Mailbox) {
        let (settled, producer, entries) = mailbox.state.withLock { state in
            (state.pipeline.takeSettled(), state.pipeline.window.producer, state.pipeline.beginStoring())
        }
        guard !settled.isEmpty || producer != contents.producer || !entries.isEmpty else { return }
        let results: [WaiterResult]
        do throws(ClientError) {
            if !settled.isEmpty { settle(settled) }
            if producer != contents.producer { try startOver(as: producer) }
            let first = entries.isEmpty ? 0 : try store(entries.map(\.body))
            results = mailbox.state.withLock { entries.isEmpty ? [] : $0.pipeline.stored(entries, from: first) }
        } catch {
            results = mailbox.state.withLock { $0.pipeline.failed(error) }
        }
        mailbox.state.withLock { $0.pipeline.storedBytes = contents.openBytes }
        for result in results { result.resume() }
    }
}
