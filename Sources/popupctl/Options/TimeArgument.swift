import ArgumentParser
import PopupClient

/// A duration as users write it: `8s`, `1.5s`, `500ms`, `2m`, `1h`, `1h30m`; a bare number is in milliseconds, as in the
/// protocol, unless it is so small that seconds may be meant. An option has `parse` as its transformation, which says why it
/// refuses a text.
struct TimeArgument: Equatable {
    let milliseconds: UInt32

    init(milliseconds: UInt32) {
        self.milliseconds = milliseconds
    }

    /// Returns the duration that a text says.
    ///
    /// - Throws: `ValidationError`, with what to write instead.
    static func parse(_ argument: String) throws -> TimeArgument {
        if let number = UInt32(argument) {
            guard number == 0 || number >= leastBareNumber else {
                throw ValidationError("`\(argument)` has no unit; write \(argument)s or \(argument)ms.")
            }
            return TimeArgument(milliseconds: number)
        }
        var sum = 0.0
        var rest = argument[...]
        while let part = rest.prefixMatch(of: /([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)/), let number = Double(part.1) {
            sum += number * (factors[String(part.2)] ?? 0)
            rest = rest[part.range.upperBound...]
        }
        guard rest.isEmpty, !argument.isEmpty, let milliseconds = UInt32(exactly: sum.rounded()) else {
            throw ValidationError("`\(argument)` is not a time; write 500ms, 8s, 2m or 1h30m.")
        }
        return TimeArgument(milliseconds: milliseconds)
    }

    var duration: Duration { .milliseconds(milliseconds) }

    /// The least number without a unit, other than 0: nobody means 5 ms by 5.
    private static let leastBareNumber: UInt32 = 100

    private static let factors: [String: Double] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
}
