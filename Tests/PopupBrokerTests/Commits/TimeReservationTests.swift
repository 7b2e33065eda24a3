@testable import PopupBroker
import PopupScheduling
import Testing

/// The requests to a shared journal for a later limit.
@Suite struct TimeReservationTests {
    @Test func `a timer within the limit is handled when it is due`() {
        let reservation = TimeReservation()
        #expect(reservation.wakeUp(forTimerDue: 5000, limit: 5000) == 5000)
        #expect(!reservation.isDue(forTimerDue: 5000, limit: 5000, at: 5000))
    }

    @Test func `a later limit is asked for a second before a timer beyond it`() {
        let reservation = TimeReservation()
        #expect(reservation.wakeUp(forTimerDue: 5000, limit: 3000) == 4000)
        let due = [3999, 4000, 6000].map { reservation.isDue(forTimerDue: 5000, limit: 3000, at: $0) }
        #expect(due == [false, true, true])
    }

    @Test func `it is asked for once, until the limit has moved`() {
        var reservation = TimeReservation()
        reservation.begin(limit: 3000)
        #expect(reservation.wakeUp(forTimerDue: 5000, limit: 3000) == nil)
        #expect(!reservation.isDue(forTimerDue: 5000, limit: 3000, at: 5000))
        // The limit has moved, but not far enough.
        #expect(reservation.wakeUp(forTimerDue: 5000, limit: 4500) == 4000)
        #expect(reservation.wakeUp(forTimerDue: 5000, limit: 6000) == 5000)
    }
}
