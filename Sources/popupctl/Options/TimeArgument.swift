import ArgumentParser
import PopupClient

/// A duration as users write it: `8s`, `1.5s`, `500ms`, `2m`, `1h`; a bare number is in milliseconds, as in the protocol.
struct TimeArgument: ExpressibleByArgument, Equatable {
    let milliseconds: UInt32

    init(milliseconds: UInt32) {
        self.milliseconds = milliseconds
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits), let factor = Self.factors[String(argument.dropFirst(digits.count))],
            let milliseconds = UInt32(exactly: (number * factor).rounded())
        else { return nil }
        self.milliseconds = milliseconds
    }

    var duration: Duration { .milliseconds(milliseconds) }

    var defaultValueDescription: String {
        milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
    }

    private static let factors: [String: Double] = ["": 1, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
}
