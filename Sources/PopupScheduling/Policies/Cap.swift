/// Popups are shown at most so often in any window of a length: over it they are not eligible until the window allows.
public struct Cap: Sendable, Equatable {
    /// Counts the popups with this cap key; empty: all of the group.
    public var key: [UInt8]
    /// How many may be shown in a window; at least 1, at most `Limits.largestCap`.
    public var most: UInt32
    /// In ms: the length of the window, which ends now; at least 1.
    public var window: UInt32

    /// A cap.
    public init(key: [UInt8] = [], most: UInt32, window: UInt32) {
        self.key = key
        self.most = most
        self.window = window
    }
}
