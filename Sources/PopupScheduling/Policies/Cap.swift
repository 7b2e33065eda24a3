/// A limit on how often popups may be shown within any time window of a given length. Popups beyond it are not eligible
/// until the window has moved on.
public struct Cap: Sendable, Equatable {
    /// The cap key of the counted popups. Empty if all popups of the group are counted.
    public var key: [UInt8]
    /// The number of showings allowed per window; 1 to `Limits.largestCap`.
    public var most: UInt32
    /// The length of the window in ms, at least 1. The window ends now.
    public var window: UInt32

    /// Creates a cap.
    public init(key: [UInt8] = [], most: UInt32, window: UInt32) {
        self.key = key
        self.most = most
        self.window = window
    }
}
