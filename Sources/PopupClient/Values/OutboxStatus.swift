import Foundation
import PopupProtocol

/// The content of an outbox file when the connection was opened.
public struct OutboxStatus: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    /// The number of commands of earlier runs that are sent now.
    public let recovered: Int
    /// The number of bytes that could not be read: the end of a file that was being written when the process or the
    /// machine stopped, or damage. Everything else has been recovered.
    public let lostBytes: Int
}

extension OutboxStatus {
    /// Reads a file that no connection has open, for example after `close`. `recovered` is the number of commands that the
    /// next connection sends.
    ///
    /// - Throws: `ClientError`: `noOutbox`; `outboxFailed` if the file cannot be read.
    package init(of path: String) throws(ClientError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .outboxFailed(path, "read: there is no file that can be read")
        }
        var generator = SystemRandomNumberGenerator()
        let name = ProducerName(using: &generator)
        guard let reading = OutboxContents.read(Array(data), newName: name) else { throw .noOutbox(path) }
        self.init(path: path, recovered: reading.contents.commands.count, lostBytes: reading.lostBytes)
    }
}
