/// The bounds of what one command may carry. What is over `contentBytes` is refused `TOO_LARGE`, the rest `INVALID`.
public struct WireLimits: Hashable, Sendable {
    /// Bytes of ids, keys, tokens, surfaces, sessions and actions at most.
    public static let maximumIDBytes = 200
    /// Bytes of labels, titles and icons at most.
    public static let maximumLabelBytes = 1000
    /// Actions of a popup at most.
    public static let maximumActions = 32
    /// Caps, and quiet windows, of a policy at most.
    public static let maximumListedRules = 16
    /// Showings that a cap may allow per window at most.
    public static let largestCap: UInt32 = 10_000
    /// How often a policy may let one popup be shown.
    public static let mostAttempts: UInt32 = 100
    /// In ms: the shortest time within which a renderer must display a popup.
    public static let shortestDisplayTimeout: UInt32 = 10
    /// Bytes between the values of a path at most.
    public static let maximumSeparatorBytes = 16

    /// Bytes of a popup's `text` or `data` at most.
    public var contentBytes: Int

    /// Limits; 64 KiB of content unless told otherwise.
    public init(contentBytes: Int = 65_536) {
        self.contentBytes = contentBytes
    }
}
