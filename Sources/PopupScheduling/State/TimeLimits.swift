/// The times that there are: from these, adding any duration of the wire stays far from where a number ends.
public enum TimeLimits {
    /// The last time, in ms since 1970: some 30,000 years later.
    public static let latest: Milliseconds = 1_000_000_000_000_000

    /// The nearest time that there is.
    public static func nearest(to time: Milliseconds) -> Milliseconds { min(max(time, 0), latest) }
}
