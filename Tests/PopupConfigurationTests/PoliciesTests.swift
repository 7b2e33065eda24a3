import PopupBroker
import PopupConfiguration
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("Policies, in the words of `setPolicy`")
struct PoliciesTests {
    @Test("A mapping of the file is the message of the wire")
    func words() throws {
        let loaded = try load(
            """
            policies:
              - group: "*"
                preset: STACKED
              - group: store-12/*
                higher: STOP
                peers: NEVER
                ignorePriority: true
                gapMinMs: 100
                gapMaxMs: 200
                maxWaiting: 5
                overflow: DROP_LOWEST
            """)
        #expect(
            loaded.configuration.broker.policies == [
                WireSetPolicy.with {
                    $0.group = "*"
                    $0.preset = .stacked
                },
                WireSetPolicy.with {
                    $0.group = "store-12/*"
                    $0.higher = .stop
                    $0.peers = .never
                    $0.ignorePriority = true
                    $0.gapMinMs = 100
                    $0.gapMaxMs = 200
                    $0.maxWaiting = 5
                    $0.overflow = .dropLowest
                },
            ])
    }

    @Test("A name that looks like a number or a word of YAML is text")
    func names() throws {
        let loaded = try load("policies:\n  - group: 12\n  - group: \"true\"\n  - group: false\n  - group: 0x1f\n")
        #expect(loaded.configuration.broker.policies.map(\.group) == ["12", "true", "false", "0x1f"])
    }

    @Test("Mistakes of every kind are named with line and path, also inside lists")
    func mistakes() throws {
        let found = try problems(
            """
            policies:
              - group: g
                maxWaiting: 4294967296
                agingMs: 1.5
                quorum:
                higher: 4x
                caps: 3
                quiet:
                  - from: 22:00
                    too: "07:00"
              - just a word
              - group: [a]
            """)
        #expect(
            found == [
                "FILE:3: policies[0].maxWaiting: is 4294967296, but must be a whole number from 0 to 4294967295",
                "FILE:4: policies[0].agingMs: is \"1.5\", but must be a whole number from 0 to 4294967295",
                "FILE:5: policies[0].quorum: has no value; give one, or remove the line",
                "FILE:6: policies[0].higher: is \"4x\", but must be one of STOP, PAUSE, DEFER, NEVER",
                "FILE:7: policies[0].caps: is 3, but must be a list",
                "FILE:10: policies[0].quiet[0].too: there is no such field; did you mean `to`?",
                "FILE:11: policies[1]: must be a mapping of fields, for example `group: \"*\"`",
                "FILE:12: policies[2].group[0]: is \"a\", but must be text",
            ])
    }

    @Test("A value is quoted without what a terminal obeys")
    func controlCharacters() throws {
        let found = try problems(
            #"""
            policies:
              - {group: "*", peers: "HA\nLT\u009b\e"}
            """#)
        #expect(
            found == [
                #"FILE:2: policies[0].peers: is "HA\nLT\u009b\u001b", but must be one of STOP, PAUSE, DEFER, NEVER"#
            ])
    }

    @Test("What the broker would refuse is refused here, and two policies for one pattern")
    func refusals() throws {
        let found = try problems(
            """
            policies:
              - group: "*"
                gapMinMs: 3
                gapMaxMs: 2
              - group: lobby//x
              - group: lobby
                preset: FIFO
              - group: lobby
                preset: LIFO
            """)
        #expect(
            found == [
                "FILE:3: policies[0]: `gapMinMs` is 3, above `gapMaxMs` 2; give both in order",
                "FILE:5: policies[1]: `group` is not a valid group name or pattern; use a group name, whole segments followed by "
                    + "`/*`, or `*`",
                "FILE:8: policies[3]: is for `lobby`, like the one of line 6; make one of them",
            ])
    }

    @Test("A mistake does not hide those of other fields, and each has the line of its field")
    func together() throws {
        let found = try problems(
            """
            policies:
              - group: lobby
                preset: LIFOO
                quiet:
                  - from: "22:00"
                    to: "7:00"
                    timeZone: Europe/Berln
                caps: [{most: -1}]
                hihger: STOP
            """)
        #expect(
            found.map { $0.prefix { $0 != ";" && $0 != "," } } == [
                "FILE:3: policies[0].preset: is \"LIFOO\"",
                "FILE:6: policies[0]: `quiet[0].to` is not a time of day",
                "FILE:7: policies[0]: `quiet[0].timeZone` is `Europe/Berln`",
                "FILE:8: policies[0].caps[0].most: is -1",
                "FILE:9: policies[0].hihger: there is no such field",
            ])
    }

    @Test("What is missing because of a mistake is no further mistake")
    func consequences() throws {
        let found = try problems(
            """
            policies:
              - group: lobby
                gapMinMs: 3
                gapMaxMs: many
                quiet:
                  - {from: "22:00", to: "07:00", zone: Europe/Berlin}
              - gruop: hall
            """)
        #expect(
            found.map { $0.prefix { $0 != ";" && $0 != "," } } == [
                "FILE:4: policies[0].gapMaxMs: is \"many\"",
                "FILE:6: policies[0].quiet[0].zone: there is no such field",
                "FILE:7: policies[1].gruop: there is no such field",
            ])
    }
}
