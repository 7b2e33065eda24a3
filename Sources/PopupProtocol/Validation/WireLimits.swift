/// The limits of one command; those of texts and lists are in the schema. Content over `contentBytes` is refused with
/// `TOO_LARGE`, other values over a limit with `INVALID`.
public struct WireLimits: Hashable, Sendable {
    /// The maximum number of showings per window that a cap may allow.
    public static let largestCap: UInt32 = 10_000
    /// The maximum number of times that a policy may let one popup be shown.
    public static let maxAttempts: UInt32 = 100
    /// The shortest time within which a policy may require a renderer to display a popup, in ms.
    public static let shortestDisplayTimeout: UInt32 = 10

    /// The maximum size of a popup's `text` or `data` in bytes.
    public var contentBytes: Int

    /// Creates limits, by default with 64 KiB of content.
    public init(contentBytes: Int = 65_536) {
        self.contentBytes = contentBytes
    }
}
