import Testing

@testable import ZeroMQTransport

@Suite("Subscriptions that delay the loop")
struct SubscriptionFloodTests {
    private var flood = SubscriptionFlood<String>(limit: 512 << 10)
    private var now: Int64 = 1000

    /// Looks after so many ms, at connections that have sent so many bytes in all.
    private mutating func look(
        after milliseconds: Int64, turns: UInt64, long: UInt64 = 0, _ bytes: KeyValuePairs<String, Int64>
    ) -> [String] {
        now += milliseconds
        return flood.look(turns: turns, longReceptions: long, at: now) {
            bytes.map { (connection: $0.key, bytes: $0.value) }
        }
    }

    @Test("who sends more than the allowance while the loop does not go on is cut off, once, and nobody else")
    mutating func excessive() {
        #expect(look(after: 0, turns: 7, ["bad": 0, "good": 0]) == [])
        #expect(look(after: 25, turns: 7, ["bad": 1 << 20, "good": 100_000]) == [])
        #expect(look(after: 24, turns: 7, ["bad": 2 << 20, "good": 700_000]) == [])
        #expect(look(after: 1, turns: 7, ["bad": 3 << 20, "good": 800_000]) == ["bad"])
        #expect(look(after: 25, turns: 7, ["bad": 4 << 20, "good": 800_000]) == [])
    }

    @Test("several that delay it together are cut off when that has gone on")
    mutating func together() {
        let names = ["a", "b"]
        #expect(look(after: 0, turns: 1, [:]) == [])
        #expect(look(after: 25, turns: 1, ["modest": 50]) == [])
        for _ in 1...9 { #expect(look(after: 25, turns: 1, ["a": 300_000, "b": 400_000, "modest": 60]) == []) }
        #expect(look(after: 25, turns: 1, ["a": 300_000, "b": 400_000, "modest": 160_000]) == names)
    }

    @Test("a connection that comes while what is left of others still delays the loop is cut off sooner")
    mutating func oneAfterTheOther() {
        #expect(look(after: 0, turns: 1, [:]) == [])
        #expect(look(after: 25, turns: 1, ["a": 0]) == [])
        #expect(look(after: 25, turns: 1, ["a": 1 << 20]) == ["a"])
        // libzmq withdraws what it subscribed to.
        for _ in 1...16 { #expect(look(after: 25, turns: 1, [:]) == []) }
        #expect(look(after: 25, turns: 1, ["b": 300_000]) == ["b"])
        #expect(look(after: 25, turns: 2, ["c": 300_000]) == [])
    }

    @Test("who may have more subscriptions has the time that they take")
    mutating func largerLimit() {
        flood = SubscriptionFlood(limit: 4 << 20)
        #expect(look(after: 0, turns: 1, ["large": 0]) == [])
        #expect(look(after: 25, turns: 1, ["large": 0]) == [])
        // A second at four kilobytes a millisecond.
        for step in 1...40 { #expect(look(after: 25, turns: 1, ["large": Int64(step) * 102_400]) == []) }
        #expect(look(after: 25, turns: 2, ["large": 4 << 20]) == [])
    }

    @Test("who may have many subscriptions is allowed the bytes that a secure connection has around them")
    mutating func framing() {
        flood = SubscriptionFlood(limit: 512 << 10, framing: 480_000)
        #expect(look(after: 0, turns: 1, [:]) == [])
        #expect(look(after: 10, turns: 1, ["large": 100]) == [])
        #expect(look(after: 25, turns: 1, ["large": 860_000, "bad": 1_004_289]) == ["bad"])
        flood = SubscriptionFlood(limit: 512 << 10)
        #expect(look(after: 0, turns: 1, [:]) == [])
        #expect(look(after: 10, turns: 1, ["large": 100]) == [])
        #expect(look(after: 25, turns: 1, ["large": 860_000]) == ["large"])
    }

    @Test("who sends what it may in ten seconds of others' long receptions is not cut off")
    mutating func busyBesideOthers() {
        #expect(look(after: 0, turns: 1, long: 1, ["busy": 0]) == [])
        for step in 1...100 {
            #expect(
                look(after: 100, turns: UInt64(step + 1), long: UInt64(step + 1), ["busy": Int64(step) * 13_000]) == [])
        }
    }

    @Test("a loop that goes on is not delayed, whatever comes")
    mutating func goesOn() {
        for turn in 1...100 { #expect(look(after: 300, turns: UInt64(turn), ["a": Int64(turn) << 24]) == []) }
    }

    @Test("who sends more than the allowance in parts, each of which takes long, is cut off, once, and nobody else")
    mutating func inParts() {
        #expect(look(after: 0, turns: 1, [:]) == [])
        #expect(look(after: 10, turns: 1, ["bad": 100, "good": 400_000]) == [])
        #expect(look(after: 10, turns: 2, long: 1, ["bad": 300_000, "good": 400_000]) == [])
        #expect(look(after: 10, turns: 5, long: 2, ["bad": 700_000, "good": 800_000, "new": 9]) == [])
        #expect(look(after: 10, turns: 9, long: 2, ["bad": 786_533, "good": 800_000, "new": 9]) == ["bad"])
        #expect(look(after: 10, turns: 12, long: 3, ["bad": 900_000, "good": 800_000, "new": 786_433]) == ["new"])
    }

    @Test("what is sent in parts counts for a spell of long receptions alone")
    mutating func spells() {
        #expect(look(after: 0, turns: 1, long: 1, ["a": 0]) == [])
        // The spell is over after a second without a long reception.
        #expect(look(after: 999, turns: 2, long: 1, ["a": 700_000]) == [])
        #expect(look(after: 1, turns: 3, long: 1, ["a": 1 << 20]) == [])
        #expect(look(after: 10, turns: 4, long: 2, ["a": 1 << 21]) == [])
        #expect(look(after: 10, turns: 5, long: 2, ["a": 1 << 21 + 786_432]) == [])
        #expect(look(after: 10, turns: 6, long: 2, ["a": 1 << 21 + 786_433]) == ["a"])
        // One that goes on begins again after ten seconds.
        for second in 1...40 {
            #expect(
                look(after: 500, turns: 6 + UInt64(second), long: 2 + UInt64(second), ["b": Int64(second) * 35_000])
                    == [])
        }
    }

    @Test("a connection that subscribes to thousands of groups while something else delays the loop stays")
    mutating func heldUpByAnother() {
        #expect(look(after: 0, turns: 1, ["honest": 0]) == [])
        // A slow disk: nothing comes for long, and then what libzmq reads ahead, 6000 prefixes of 40 bytes.
        for _ in 1...30 { #expect(look(after: 300, turns: 1, ["honest": 0]) == []) }
        for step in 1...60 {
            #expect(look(after: 25, turns: 1, ["honest": min(252_000, Int64(step) * 42_000)]) == [])
        }
    }

    @Test("what came before the hold-up does not count")
    mutating func before() {
        #expect(look(after: 0, turns: 1, ["a": 0]) == [])
        #expect(look(after: 50, turns: 2, ["a": 100 << 20]) == [])
        #expect(look(after: 50, turns: 2, ["a": 100 << 20]) == [])
        #expect(look(after: 2000, turns: 2, ["a": 100 << 20 + 1000]) == [])
    }

    @Test("it looks often only after somebody came and while subscriptions come")
    mutating func interval() {
        #expect(flood.interval(at: now) == 300)
        flood.recordArrivals(at: now)
        #expect(flood.interval(at: now + 999) == 10)
        #expect(flood.interval(at: now + 1000) == 300)
        now += 1000
        _ = look(after: 0, turns: 1, ["a": 0])
        _ = look(after: 300, turns: 1, ["a": 0])
        #expect(flood.interval(at: now) == 300)
        _ = look(after: 300, turns: 1, ["a": 100])
        #expect(flood.interval(at: now) == 10)
        _ = look(after: 50, turns: 1, ["a": 200_000])
        #expect(flood.interval(at: now) == 10)
        _ = look(after: 50, turns: 2, ["a": 200_000])
        #expect(flood.interval(at: now) == 300)
        _ = look(after: 300, turns: 3, long: 1, ["a": 200_000])
        #expect(flood.interval(at: now) == 10)
        _ = look(after: 1000, turns: 4, long: 1, ["a": 200_000])
        #expect(flood.interval(at: now) == 300)
    }
}
