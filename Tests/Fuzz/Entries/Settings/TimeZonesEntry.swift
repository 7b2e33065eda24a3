@testable import PopupBroker
@testable import PopupScheduling
@testable import PopupState

/// Bytes as TZif data, or as a POSIX TZ string after the first byte. What is accepted tells an offset and a next change at
/// any time, and quiet windows go by it.
enum TimeZonesEntry {
    private static let times: [Milliseconds] = [
        0, 1, -1, 1_774_745_980_000, 951_782_400_000, 4_102_444_799_999, 253_402_300_799_999, 1 << 53, -(1 << 53),
        1 << 60,
    ]

    static func run(_ input: [UInt8]) throws -> Bool {
        guard let first = input.first else { return false }
        if first == UInt8(ascii: "T") {
            guard let rules = try? TimeZoneFile.rules(in: input) else { return false }
            try check(rules)
        } else {
            guard let zone = try? PosixTimeZone(input.dropFirst()) else { return false }
            try check(TimeZoneRules(initialOffset: zone.standardOffset, rule: zone.rule))
        }
        return true
    }

    private static func check(_ rules: TimeZoneRules) throws {
        let window = QuietWindow(from: 22 * 60, to: 7 * 60, zone: rules)
        for start in times {
            var time = start
            for _ in 0..<8 {
                let offset = rules.offset(at: time)
                guard abs(Int64(offset)) <= 8 * 86_400 else { throw Finding("an offset of \(offset) s at \(time)") }
                _ = window.isInForce(at: time)
                let change = window.nextChange(after: time)
                guard change > time, change - time <= 3 * 86_400_000 else {
                    throw Finding("the window changes at \(change), asked at \(time)")
                }
                guard let next = rules.nextTransition(after: time) else { break }
                guard next > time else { throw Finding("the change after \(time) is at \(next)") }
                guard next <= 1 << 61 else { break }
                time = next
            }
        }
    }
}
