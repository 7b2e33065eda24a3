import PopupClient
import Testing

@Suite("A duration")
struct DurationTests {
    @Test("is the nearest that the wire has")
    func wire() {
        let durations: [Duration: UInt32] = [
            .zero: 0, .milliseconds(1): 1, .seconds(-1): 0, .seconds(Int64.min): 0, .seconds(Int64.max): .max,
            // A thousand times so many seconds, and a bit more, are one number too much.
            .seconds(Int64.max / 1000) + .milliseconds(999): .max, .milliseconds(UInt32.max): .max,
            .milliseconds(Int64(UInt32.max) + 1): .max, .milliseconds(UInt32.max - 1): .max - 1,
            .microseconds(1999): 1, .seconds(Int64.max) + .seconds(Int64.max): .max,
        ]
        for (duration, milliseconds) in durations { #expect(duration.wireMilliseconds == milliseconds) }
    }
}
