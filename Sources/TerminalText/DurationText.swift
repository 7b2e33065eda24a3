/// Durations as people read them.
package enum DurationText {
    /// Returns a duration as text: "7.2 s", "1 min 5 s", "7 h 1 min".
    package static func text(_ duration: Duration) -> String {
        let tenths = Int(duration / .milliseconds(100))
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        return seconds < 3600 ? pair(seconds, "min", "s") : pair(seconds / 60, "h", "min")
    }

    private static func pair(_ value: Int, _ large: String, _ small: String) -> String {
        value % 60 == 0 ? "\(value / 60) \(large)" : "\(value / 60) \(large) \(value % 60) \(small)"
    }
}
