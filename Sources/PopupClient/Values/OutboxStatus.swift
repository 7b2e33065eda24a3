/// The content of an outbox file when the connection was opened.
public struct OutboxStatus: Hashable, Sendable {
    /// The path of the file.
    public let path: String
    /// The number of commands of earlier runs that are sent now.
    public let recovered: Int
    /// The number of bytes that could not be read: the end of a file that was being written when the machine stopped, or
    /// damage. Everything else has been recovered.
    public let lostBytes: Int
}
