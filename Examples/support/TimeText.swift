/// Times as people write and read them.
public enum TimeText {
    /// Returns the duration of a text such as `250ms`, `8s`, `1.5s` or `2m`; `nil` for any other text and for negative
    /// durations.
    public static func duration(_ text: some StringProtocol) -> Duration? {
        let units: [(suffix: String, milliseconds: Double)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }),
            let number = Double(text.dropLast(unit.suffix.count)), number >= 0
        else { return nil }
        let milliseconds = (number * unit.milliseconds).rounded()
        return milliseconds <= Double(UInt32.max) ? .milliseconds(Int64(milliseconds)) : nil
    }

    /// Returns a duration in seconds with one decimal: `2.5 s`.
    public static func seconds(_ duration: Duration) -> String {
        seconds(milliseconds: UInt64(duration / .milliseconds(1)))
    }

    /// Returns milliseconds as seconds with one decimal: `2.5 s`.
    public static func seconds(milliseconds: UInt64) -> String {
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
