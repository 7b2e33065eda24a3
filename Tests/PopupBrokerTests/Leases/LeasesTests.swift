@testable import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("Leases, without a loop")
struct LeasesTests {
    private let lasting = Scheduler.leaseDuration

    private func lease(_ groups: String...) -> WireCommand {
        .with {
            $0.lease = .with {
                $0.client = "screen"
                $0.groups = groups
            }
        }
    }

    /// Leases of which the scheduler has one, of the screen for the group `a`, from the time 0.
    private func held() -> Leases {
        var leases = Leases()
        leases.renew(lease("a").lease, at: 0)
        return leases
    }

    @Test("are renewed by a command with the same groups, which is not journaled")
    func renewal() {
        var leases = held()
        let isRenewal = [leases.isRenewal(lease("a"), at: 100), leases.isRenewal(lease("a", "b"), at: 200)]
        #expect(isRenewal == [true, false])
        // What it says now is known when the change is applied.
        let meanwhile = leases.isRenewal(lease("a"), at: 300)
        #expect(!meanwhile)
        leases.endChange(by: lease("a", "b"))
        leases.endChange(by: lease("a"))
        let afterwards = leases.isRenewal(lease("a"), at: 400)
        #expect(afterwards)
    }

    @Test("end when the renderer has sent nothing for their time")
    func silence() {
        var leases = held()
        _ = leases.isRenewal(lease("a"), at: 500)
        #expect(leases.nextDue == lasting)
        let early = leases.takeOverdue(at: lasting)
        #expect(early == nil)
        let ended = leases.takeOverdue(at: lasting + 500)
        #expect(ended?.client == "screen")
        #expect(ended?.due == lasting + 500)
    }

    @Test("do not end for the time in which the broker received nothing")
    func stopped() {
        var leases = held()
        let late = lasting + 10_000
        let ended = leases.takeOverdue(at: late)
        #expect(ended == nil)
        #expect(leases.nextDue == late + lasting)
    }

    @Test("are not due while messages come first, which may renew them")
    func waiting() {
        var leases = held()
        var due = [leases.isDue(at: lasting - 1), leases.isDue(at: lasting)]
        leases.waitForMessages(true)
        due.append(leases.isDue(at: lasting))
        leases.waitForMessages(false)
        due.append(leases.isDue(at: lasting))
        #expect(due == [false, true, false, true])
    }

    @Test("whose end could not be committed are due again later")
    func postponed() {
        var leases = held()
        _ = leases.takeOverdue(at: lasting)
        #expect(leases.nextDue == nil)
        leases.postpone("screen", at: lasting)
        #expect(leases.nextDue == lasting + 1000)
    }
}
