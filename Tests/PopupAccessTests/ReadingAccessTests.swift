import PopupAccess
import PopupProtocol
import Testing

/// Right × channel: which subscriptions take effect.
struct ReadingAccessTests {
    private static let producer = "0123456789abcdef0123456789abcdef"

    private func access(_ right: Right, in patterns: String...) -> UserAccess {
        UserAccess([Grant(groups: patterns.map { GroupPattern($0)! }, rights: Rights(right))])
    }

    private func isAllowed(_ prefix: String, by access: UserAccess) -> Bool {
        access.decision(onSubscription: prefix) == .allowed
    }

    @Test func statesNeedWatchAndEventsNeedEvents() {
        for right in Right.allCases {
            let access = access(right, in: "*")
            for prefix in ["state/", "state/lobby/", "state+json/lob"] {
                #expect(isAllowed(prefix, by: access) == (right == .watch), "\(prefix) by \(right)")
            }
            for prefix in ["events/", "events/lobby/", "events+json/lob"] {
                #expect(isAllowed(prefix, by: access) == (right == .events), "\(prefix) by \(right)")
            }
            #expect(isAllowed("feed/", by: access) == (right == .watch))
            #expect(isAllowed("heartbeat/", by: access) == [.watch, .events, .render].contains(right))
        }
    }

    @Test func aGroupOpensItselfAndTheGroupsBelowIt() {
        let access = access(.watch, in: "lobby")
        for prefix in ["state/lobby/", "state/lobby/left/", "state/lobby/le", "state+json/lobby/"] {
            #expect(isAllowed(prefix, by: access), "\(prefix)")
        }
        for prefix in ["state/lobby", "state/lob", "state/lobby2/", "state/", "state/*/", "events/lobby/", "feed/"] {
            #expect(!isAllowed(prefix, by: access), "\(prefix)")
        }
    }

    @Test func aPatternOpensTheGroupsBelowItsPrefixAndNotThePrefix() {
        let access = access(.watch, in: "freight/*")
        for prefix in ["state/freight/lyon/", "state/freight/l"] { #expect(isAllowed(prefix, by: access), "\(prefix)") }
        for prefix in ["state/freight/", "state/freight", "state/freights/"] {
            #expect(!isAllowed(prefix, by: access), "\(prefix)")
        }
    }

    @Test func whatMatchesWholeChannelsIsForWhoHasEverything() {
        let everyRight = UserAccess([Grant(groups: [.every], rights: .all)])
        for prefix in ["", "s", "state", "acks/", "acks/0123", "replies/", "sync/", "sync/clie", "no-channel/"] {
            #expect(!isAllowed(prefix, by: everyRight), "\(prefix)")
            #expect(isAllowed(prefix, by: .unrestricted), "\(prefix)")
        }
    }

    @Test func acknowledgementsAndRepliesBelongToTheOwnerOfTheName() {
        let client = ClientToken("kiosk-7")!
        for channel in ["acks", "acks+json"] {
            #expect(
                UserAccess.nothing.decision(onSubscription: "\(channel)/\(Self.producer)/")
                    == .ownedProducer(ProducerName(Self.producer)!))
        }
        for prefix in ["replies/kiosk-7/", "replies/kiosk-7/n1/", "replies+json/kiosk-7/n"] {
            #expect(UserAccess.nothing.decision(onSubscription: prefix) == .ownedClient(client))
        }
    }

    @Test func aSyncNeedsTheNameAndWatch() {
        let client = ClientToken("kiosk-7")!
        let access = access(.watch, in: "lobby")
        #expect(access.decision(onSubscription: "sync/kiosk-7/n1/lobby/") == .ownedClient(client))
        #expect(access.decision(onSubscription: "sync/kiosk-7/n1/") == .ownedClient(client))
        for denied in ["sync/kiosk-7/n1/*/", "sync/kiosk-7/n1/freight/", "sync+json/kiosk-7/n1/lobby2/"] {
            guard case .denied = access.decision(onSubscription: denied) else {
                Issue.record("\(denied) is not denied")
                continue
            }
        }
    }

    @Test func aDenialSaysWhatIsMissing() {
        let access = access(.watch, in: "freight/*")
        #expect(
            access.decision(onSubscription: "state/freight/")
                == .denied(
                    "needs the right watch in \"freight\" and the groups below it, by the group \"freight\"; "
                        + "no role of the user gives it there"))
    }

    /// A subscription that is allowed matches no topic of a group that the user may not read.
    @Test func whatIsAllowedMatchesNothingThatIsNot() {
        let groups = ["a", "ab", "a/a", "a/b", "ab/a", "a/a/b", "a/ab", "b"].map { GroupName($0)! }
        let patterns = ["a", "a/*", "a/a", "ab/*", "*", "b"].map { GroupPattern($0)! }
        // What ZeroMQ compares with a prefix: the topic, or the whole frame.
        let messages = groups.flatMap { group in
            [(group, Topic.state(group, .binary).text), (group, "\(Channel.stateFrame.prefix)\(group)/\0body")]
        }
        let prefixes = Set(messages.flatMap { _, bytes in (0...bytes.count).map { String(bytes.prefix($0)) } })
        for pattern in patterns {
            let access = UserAccess([Grant(groups: [pattern], rights: Rights(.watch))])
            for prefix in prefixes where isAllowed(prefix, by: access) {
                for (group, _) in messages.filter({ $0.1.hasPrefix(prefix) }) {
                    let isBelow = GroupPattern("\(pattern)/*")?.matches(group) ?? false
                    #expect(pattern.matches(group) || (pattern.form == .exact && isBelow), "\(prefix) by \(pattern)")
                }
            }
        }
    }
}
