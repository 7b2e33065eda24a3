/// What was found in an outbox file when the connection was opened.
public struct OutboxStatus: Hashable, Sendable {
    /// Where it is.
    public let path: String
    /// Commands of earlier runs that are being sent now.
    public let recovered: Int
    /// Bytes that could not be read: the end of a file that was being written when the machine stopped, or damage. What
    /// was whole has been recovered.
    public let lostBytes: Int
}
