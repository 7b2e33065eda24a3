import Testing

@testable import PopupFleet

/// When a node asks for the claim, by its rank and by what it has seen. A lease of 4 s: polling each 2 s, 150 ms for each
/// rank, renewals each second.
@Suite struct OwnClaimTests {
    private let timing = FleetTiming(lease: 4000)

    @Test func `a standby asks at once, and again after the polling time, later by its rank`() {
        var claim = OwnClaim()
        #expect(claim.isDue(at: 0, rank: 2, timing))

        claim.ask(at: 0)

        #expect(claim.mayBeHeld && claim.held == nil)
        #expect(!claim.isDue(at: 1999, rank: 0, timing) && claim.isDue(at: 2000, rank: 0, timing))
        #expect(!claim.isDue(at: 2299, rank: 2, timing) && claim.isDue(at: 2300, rank: 2, timing))
    }

    @Test func `the end of another's claim is a reason to ask sooner, for each rank in turn`() {
        var claim = OwnClaim()
        claim.ask(at: 0)
        claim.receive(isOwn: false, asked: 0)
        claim.recordEnd(at: 500)
        claim.recordEnd(at: 700)

        #expect(!claim.mayBeHeld)
        #expect(claim.isDue(at: 500, rank: 0, timing))
        #expect(!claim.isDue(at: 649, rank: 1, timing) && claim.isDue(at: 650, rank: 1, timing))

        // Another node was faster.
        claim.ask(at: 650)
        claim.receive(isOwn: false, asked: 650)
        #expect(!claim.isDue(at: 2649, rank: 0, timing) && claim.isDue(at: 2650, rank: 0, timing))
    }

    @Test func `renewals move the latest proof, and not the time since which it is held`() {
        var claim = OwnClaim()
        claim.ask(at: 0)
        claim.receive(isOwn: true, asked: 0)
        claim.receive(isOwn: true, asked: 1000)
        #expect(claim.held?.asked == 1000 && claim.held?.since == 0)
        #expect(!claim.isRenewalDue(at: 1999, timing) && claim.isRenewalDue(at: 2000, timing))
        #expect(!claim.isDueAgain(at: 2000, timing))

        claim.receive(isOwn: false, asked: 2000)
        #expect(claim.held == nil && !claim.mayBeHeld && !claim.isRenewalDue(at: 9000, timing))
        claim.receive(isOwn: true, asked: 3000)
        #expect(claim.held?.since == 3000)
    }

    @Test func `an owner that has lost it asks again after a renewal's time`() {
        var claim = OwnClaim()
        #expect(claim.isDueAgain(at: 0, timing))
        claim.ask(at: 0)
        #expect(!claim.isDueAgain(at: 999, timing) && claim.isDueAgain(at: 1000, timing))
    }

    @Test func `a standby that gave it up leaves it to others for the polling time, also when it ends`() {
        var claim = OwnClaim()
        claim.ask(at: 0)
        claim.receive(isOwn: true, asked: 0)
        claim.giveUp(at: 4000)
        claim.receive(isOwn: false, asked: 4000)
        claim.recordEnd(at: 4100)
        #expect(!claim.isDue(at: 5999, rank: 0, timing) && claim.isDue(at: 6000, rank: 0, timing))
    }
}
