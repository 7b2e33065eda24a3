import PopupScheduling
@testable import PopupState
import Testing
import TestSupport

@Suite("Time zone data")
struct TimeZoneFileTests {
    @Test("of version 1 has its changes and no rule")
    func versionOne() throws {
        let file = TimeZoneBytes(version: 0, offsets: [3600, 7200], changes: [(-100, 1), (200, 0)])
        #expect(
            try TimeZoneFile.rules(in: file.bytes)
                == TimeZoneRules(
                    initialOffset: 3600,
                    transitions: [.init(at: -100_000, offset: 7200), .init(at: 200_000, offset: 3600)]))
    }

    @Test("of later versions has changes beyond 32 bits and the rule of its footer", arguments: Array("234".utf8))
    func laterVersions(version: UInt8) throws {
        let file = TimeZoneBytes(
            version: version, offsets: [3600, 7200], changes: [(-(1 << 60), 0), (1 << 40, 1)],
            footer: "CET-1CEST,M3.5.0,M10.5.0/3")
        #expect(
            try TimeZoneFile.rules(in: file.bytes)
                == TimeZoneRules(
                    initialOffset: 3600,
                    transitions: [
                        .init(at: -(1 << 52) * 1000, offset: 3600), .init(at: (1 << 40) * 1000, offset: 7200),
                    ],
                    rule: DaylightRule(
                        standardOffset: 3600, daylightOffset: 7200,
                        start: .init(day: .weekday(month: 3, week: 5, weekday: 0)),
                        end: .init(day: .weekday(month: 10, week: 5, weekday: 0), time: 10_800))))
    }

    @Test(
        "has a footer in any form of POSIX and of RFC 9636",
        arguments: [
            ("UTC0", 0, nil), ("<+0545>-5:45", 20_700, nil),
            (
                "EST5EDT,M3.2.0,M11.1.0", -18_000,
                DaylightRule(
                    standardOffset: -18_000, daylightOffset: -14_400,
                    start: .init(day: .weekday(month: 3, week: 2, weekday: 0)),
                    end: .init(day: .weekday(month: 11, week: 1, weekday: 0)))
            ),
            (
                "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200,
                DaylightRule(
                    standardOffset: -7200, daylightOffset: -3600,
                    start: .init(day: .weekday(month: 3, week: 5, weekday: 0), time: -3600),
                    end: .init(day: .weekday(month: 10, week: 5, weekday: 0), time: 0))
            ),
            (
                "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 37_800,
                DaylightRule(
                    standardOffset: 37_800, daylightOffset: 39_600,
                    start: .init(day: .weekday(month: 10, week: 1, weekday: 0)),
                    end: .init(day: .weekday(month: 4, week: 1, weekday: 0)))
            ),
            (
                "IST-1GMT0,J59/+1:02:03,365/167", 3600,
                DaylightRule(
                    standardOffset: 3600, daylightOffset: 0, start: .init(day: .dayWithoutLeap(59), time: 3723),
                    end: .init(day: .day(365), time: 601_200))
            ),
        ] as [(String, Int32, DaylightRule?)])
    func footers(text: String, offset: Int32, rule: DaylightRule?) throws {
        let zone = try PosixTimeZone(Array(text.utf8)[...])
        #expect(zone.standardOffset == offset)
        #expect(zone.rule == rule)
    }

    @Test(
        "is refused for a footer that is none",
        arguments: [
            "CE-1", "CET", "-1", "CET-25", "CET-1:60", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.1.0,M10.5.0",
            "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J5", "CET-1CEST,366,J5",
            "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0 ", "<CET-1", "<>-1", ":Europe/Berlin", "CET-0001",
        ])
    func badFooters(text: String) {
        #expect(throws: TimeZoneFile.Damaged.self) { try PosixTimeZone(Array(text.utf8)[...]) }
    }

    @Test("is refused when it contradicts itself")
    func contradictions() {
        func damage(_ file: TimeZoneBytes) -> String? {
            do throws(TimeZoneFile.Damaged) {
                _ = try TimeZoneFile.rules(in: file.bytes)
                return nil
            } catch {
                return error.what
            }
        }
        #expect(
            damage(TimeZoneBytes(version: 0, offsets: [0], changes: [(5, 0), (5, 0)]))
                == "its changes are not in order of time")
        #expect(damage(TimeZoneBytes(version: 0, offsets: [0], changes: [(5, 1)])) == "a change leads to no offset")
        #expect(
            damage(TimeZoneBytes(version: 0, offsets: [100_000], changes: []))
                == "it has an offset from UTC that can't be")
        #expect(
            damage(TimeZoneBytes(version: 0x32, offsets: [0, 60], changes: [(5, 1)], footer: "UTC0"))
                == "its footer contradicts its last change")
        #expect(
            damage(TimeZoneBytes(version: 0, offsets: [0], changes: [], leapSeconds: 1))
                == "it counts leap seconds; take the zone without them")
        #expect(damage(TimeZoneBytes(version: 0x31, offsets: [0], changes: [])) == "its version is unknown")
        #expect(damage(TimeZoneBytes(version: 0, offsets: [], changes: [])) == "the counts of a header can't be")
    }

    @Test("is refused wherever it is cut off, and with anything after its end", arguments: [0, 0x33] as [UInt8])
    func cut(version: UInt8) {
        let bytes = TimeZoneBytes(
            version: version, offsets: [0, 60], changes: [(5, 1)], footer: "<+0001>-0:01"
        ).bytes
        for count in bytes.indices {
            #expect(throws: TimeZoneFile.Damaged.self) { try TimeZoneFile.rules(in: Array(bytes.prefix(count))) }
        }
        #expect(throws: TimeZoneFile.Damaged.self) { try TimeZoneFile.rules(in: bytes + [0]) }
    }

    @Test("never ends the process, whatever its bytes are", arguments: 1...4 as ClosedRange<UInt64>)
    func mutations(seed: UInt64) {
        let whole = TimeZoneBytes(
            version: 0x32, offsets: [0, 3600], changes: [(5, 1), (9, 0)], footer: "GMT0BST,M3.5.0/1,M10.5.0"
        ).bytes
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0...random(3) { bytes[random(bytes.count)] = UInt8(random(256)) }
            _ = try? TimeZoneFile.rules(in: bytes)
        }
    }
}
