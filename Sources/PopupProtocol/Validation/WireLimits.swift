/// The bounds of what one command may carry; those of texts and lists are in the schema. What is over `contentBytes` is
/// refused `TOO_LARGE`, the rest `INVALID`.
public struct WireLimits: Hashable, Sendable {
    /// Showings that a cap may allow per window at most.
    public static let largestCap: UInt32 = 10_000
    /// How often a policy may let one popup be shown.
    public static let mostAttempts: UInt32 = 100
    /// In ms: the shortest time within which a renderer must display a popup.
    public static let shortestDisplayTimeout: UInt32 = 10

    /// Bytes of a popup's `text` or `data` at most.
    public var contentBytes: Int

    /// Limits; 64 KiB of content unless told otherwise.
    public init(contentBytes: Int = 65_536) {
        self.contentBytes = contentBytes
    }
}
