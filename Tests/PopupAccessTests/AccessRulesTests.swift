import PopupAccess
import PopupProtocol
import Testing

/// Users, roles, and what is wrong with them.
struct AccessRulesTests {
    private let lobby = GroupPattern("lobby")!

    @Test func aUserHasTheGrantsOfItsRoles() throws {
        let watch = Grant(groups: [lobby], rights: Rights(.watch))
        let show = Grant(groups: [.every], rights: Rights(.show))
        let rules = try AccessRules(
            roles: ["screen": [watch], "sender": [show]],
            users: [.init(name: UserName("kiosk")!, roles: ["screen", "sender"])], anonymous: ["screen"])
        #expect(rules.access(of: UserName("kiosk")!).grants == [watch, show])
        #expect(rules.access(of: nil).grants == [watch])
        #expect(rules.access(of: UserName("stranger")!) == .nothing)
        #expect(!rules.isOpen)
        #expect(AccessRules.open.isOpen)
    }

    @Test func aRoleThatIsNotThereIsTold() {
        #expect(throws: AccessRules.UnknownRole(role: "screen", user: UserName("kiosk")!)) {
            try AccessRules(
                roles: [:], users: [.init(name: UserName("kiosk")!, roles: ["screen"])], anonymous: [])
        }
        #expect(throws: AccessRules.UnknownRole(role: "guest", user: nil)) {
            try AccessRules(roles: [:], users: [], anonymous: ["guest"])
        }
    }

    @Test(arguments: [
        (Grant(groups: [], rights: .all), "names no groups"),
        (Grant(groups: [.every], rights: []), "gives no rights"),
        (Grant(groups: [GroupPattern("lobby")!], rights: .all, exclusive: .all), "reaches every group"),
        (Grant(groups: [.every], rights: Rights(.watch), maxPriority: 1), "neither show nor update"),
        (Grant(groups: [.every], rights: Rights(.watch), ownPopupsOnly: true), "own popups"),
    ])
    func aGrantThatMakesNoSenseIsAMistake(_ grant: Grant, _ words: String) {
        #expect(grant.mistake?.contains(words) == true)
    }

    @Test func aGrantThatMakesSenseIsNone() {
        #expect(Grant.everything.mistake == nil)
        #expect(Grant(groups: [lobby], rights: Rights(.show), maxPriority: 5, exclusive: .group).mistake == nil)
        // What it shows replaces its own popups only.
        #expect(Grant(groups: [lobby], rights: Rights(.show), ownPopupsOnly: true).mistake == nil)
    }

    @Test func aNameBelongsToWhoUsedItFirst() {
        let (one, other) = (UserName("one")!, UserName("other")!)
        var owners = NameOwners<String>(namesPerUser: 2)
        let claims = [one, one, other, nil].map { owners.claim("a", for: $0) }
        #expect(claims == [true, true, false, false])
        #expect(owners.isOwner(one, of: "a"))
        #expect(!owners.isOwner(other, of: "a"))
    }

    @Test func aUserPushesOutItsOwnNamesOnly() {
        let (one, other) = (UserName("one")!, UserName("other")!)
        var owners = NameOwners<Int>(namesPerUser: 2)
        let isClaimed = owners.claim(0, for: other)
        #expect(isClaimed)
        for name in 1...10 {
            let isClaimed = owners.claim(name, for: one)
            #expect(isClaimed)
        }
        #expect(owners.count == 3)
        #expect(owners.isOwner(other, of: 0))
        #expect(owners.isOwner(one, of: 10))
        #expect(!owners.isOwner(one, of: 8))
        owners.removeUsers { $0 == one }
        #expect(owners.count == 1)
        let isFree = owners.claim(10, for: other)
        #expect(isFree)
    }

    @Test func aLostNameUnderWhichItsUserReadsIsFreeWhenThatEnds() {
        let (one, other) = (UserName("one")!, UserName("other")!)
        var owners = NameOwners<Int>(namesPerUser: 1)
        _ = owners.claim(1, for: one)
        _ = owners.claim(1, for: one, by: .reading)
        _ = owners.claim(2, for: one)
        var isTaken = owners.claim(1, for: other)
        #expect(!isTaken)
        var losers = owners.takeLosers()
        #expect(losers == [one])
        losers = owners.takeLosers()
        #expect(losers == [])
        isTaken = owners.claim(1, for: other)
        #expect(isTaken)
        // A name that nobody reads under is free at once.
        _ = owners.claim(3, for: one)
        isTaken = owners.claim(2, for: other)
        #expect(isTaken)
        losers = owners.takeLosers()
        #expect(losers == [])
    }

    @Test func readingByRightTakesANameThatWasNeverUsedByRightAndKeepsIt() {
        let (one, other) = (UserName("one")!, UserName("other")!)
        var owners = NameOwners<String>(namesPerUser: 2)
        _ = owners.claim("screen", for: one, by: .reading)
        _ = owners.claim("asked", for: one, by: .asking)
        var isTaken = owners.claim("asked", for: other, by: .readingByRight)
        #expect(isTaken)
        isTaken = owners.claim("screen", for: other, by: .readingByRight)
        #expect(!isTaken)
        #expect(owners.takeLosers() == [one, other])
        isTaken = owners.claim("screen", for: other, by: .readingByRight)
        #expect(isTaken)
        for use in [NameOwners<String>.Use.reading, .asking, .command, .readingByRight] {
            let isTaken = owners.claim("screen", for: one, by: use)
            #expect(!isTaken)
        }
        #expect(owners.takeLosers() == [])
    }

    @Test func aNameThatNoCommandHasUsedIsTakenByACommand() {
        let (one, other, third) = (UserName("one")!, UserName("other")!, UserName("third")!)
        var owners = NameOwners<String>(namesPerUser: 2)
        for use in [NameOwners<String>.Use.reading, .asking] {
            _ = owners.claim("\(use)", for: one, by: use)
            for later in [NameOwners<String>.Use.reading, .asking] {
                #expect(!owners.mayUse("\(use)", other, by: later))
                let isTaken = owners.claim("\(use)", for: other, by: later)
                #expect(!isTaken)
            }
            #expect(owners.mayUse("\(use)", other))
        }
        var isTaken = owners.claim("asking", for: other)
        #expect(isTaken)
        #expect(!owners.isOwner(one, of: "asking"))
        // Whoever reads under it ends that first.
        isTaken = owners.claim("reading", for: other)
        #expect(!isTaken)
        #expect(owners.isOwner(one, of: "reading"))
        #expect(!owners.mayUse("reading", one))
        #expect(!owners.mayUse("reading", third))
        var losers = owners.takeLosers()
        #expect(losers == [one, other])
        #expect(owners.isOwner(other, of: "reading"))
        // What a command has used stays.
        isTaken = owners.claim("reading", for: third)
        #expect(!isTaken)
        losers = owners.takeLosers()
        #expect(losers == [])
        #expect(owners.count == 2)
    }
}
