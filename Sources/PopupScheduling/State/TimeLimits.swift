/// The range of valid times. Adding any duration of the wire to one of them does not overflow.
public enum TimeLimits {
    /// The latest time in ms since 1970, about 31,700 years later.
    public static let latest: Milliseconds = 1_000_000_000_000_000

    /// Returns the nearest valid time.
    public static func nearest(to time: Milliseconds) -> Milliseconds { min(max(time, 0), latest) }
}
