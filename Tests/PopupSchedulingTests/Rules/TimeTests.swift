import PopupScheduling
import Testing

@Suite struct TimeTests {
    // MARK: - Duration

    @Test func `a popup closes at the end of its duration, no earlier`() {
        Timeline()
            .show("A", duration: 100)
            .at(99).remaining()
            .at(100).peek()
            .gives(
                """
                0 shown A
                99 remaining A 1 left
                100 closed A TIMED_OUT
                100 peek\(" ")
                """)
    }

    @Test func `without a duration the policy's default applies, otherwise the popup stays until dismissed`() {
        Timeline()
            .policy { $0.defaultDuration = 100 }
            .show("A").show("B", duration: 30)
            .show("C", in: "other")
            .at(1_000_000).dismiss("C")
            .gives(
                """
                0 shown A
                0 queued B
                0 other: shown C
                100 closed A TIMED_OUT
                100 shown B
                130 closed B TIMED_OUT
                1000000 other: closed C DISMISSED
                """)
    }

    @Test func `the policy's maximum caps the duration, the default and the absence of both`() {
        for (wanted, usual, most, given) in [
            (UInt32(100), UInt32(0), UInt32(60), 60), (100, 0, 200, 100), (0, 100, 60, 60), (0, 50, 60, 50),
            (0, 0, 60, 60), (30, 100, 60, 30),
        ] {
            Timeline()
                .policy {
                    $0.defaultDuration = usual
                    $0.maxDuration = most
                }
                .show("A", duration: wanted)
                .gives("0 shown A\n\(given) closed A TIMED_OUT")
        }
    }

    @Test func `the longest times of the wire are counted exactly`() {
        Timeline()
            .at(5).show("A", duration: .max)
            .show("B", duration: 1)
            .gives(
                """
                5 shown A
                5 queued B
                4294967300 closed A TIMED_OUT
                4294967300 shown B
                4294967301 closed B TIMED_OUT
                """)
    }

    // MARK: - Delay

    @Test func `a delayed popup is judged as a newcomer when it arrives`() {
        Timeline()
            .show("A")
            .at(10).show("B", priority: 1, delay: 50)
            .at(10).show("C", delay: 60)
            .at(20).peek()
            .at(75).peek()
            .gives(
                """
                0 shown A
                10 queued B
                10 queued C
                20 peek A active, B delayed, C delayed
                60 paused A
                60 shown B
                75 peek B active, A paused, C waiting
                """)
    }

    @Test func `a delayed popup is shown at once in a free slot, and rejected under never`() {
        Timeline()
            .policy { $0.peers = .never }
            .show("A", delay: 50)
            .show("B", delay: 60)
            .gives(
                """
                0 queued A
                0 queued B
                50 shown A
                60 closed B REJECTED
                """)
    }

    @Test func `a delayed popup is queued by acceptance, not by arrival`() {
        Timeline()
            .show("A")
            .show("B", delay: 50)
            .at(10).show("C")
            .at(60).peek()
            .gives(
                """
                0 shown A
                0 queued B
                10 queued C
                60 peek A active, B waiting, C waiting
                """)
    }

    // MARK: - Time to live

    @Test func `a popup that is not shown within its time to live expires`() {
        Timeline()
            .show("A", duration: 100)
            .show("B", ttl: 99).show("C", ttl: 100).show("D", ttl: 101)
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                0 queued D
                99 closed B EXPIRED
                100 closed A TIMED_OUT
                100 shown C
                101 closed D EXPIRED
                """)
    }

    @Test func `time to live does not apply after the first showing`() {
        Timeline()
            .show("A", ttl: 50)
            .at(10).show("B", priority: 1, duration: 100)
            .at(200).dismiss("A", "ok")
            .gives(
                """
                0 shown A
                10 paused A
                10 shown B
                110 closed B TIMED_OUT
                110 resumed A
                200 closed A DISMISSED ok
                """)
    }

    @Test func `time to live counts from acceptance, including the delay`() {
        Timeline()
            .show("A", ttl: 50, delay: 100)
            .show("B", ttl: 50, delay: 50)
            .at(10).show("C")
            .gives(
                """
                0 queued A
                0 queued B
                10 shown C
                50 closed A EXPIRED
                50 closed B EXPIRED
                """)
        Timeline()
            .show("B", ttl: 50, delay: 50)
            .gives(
                """
                0 queued B
                50 shown B
                """)
    }

    // MARK: - One instant

    @Test func `equal due times are handled in the order in which they were set`() {
        Timeline()
            .show("A", in: "x", duration: 100)
            .show("B", in: "y", ttl: 100, delay: 200)
            .at(50).show("C", in: "z", duration: 50)
            .at(60).show("D", in: "w", delay: 40)
            .at(70).update("A", duration: 100, restartTimer: true).update("A", duration: 30)
            .gives(
                """
                0 x: shown A
                0 y: queued B
                50 z: shown C
                60 w: queued D
                70 x: updated A
                70 x: updated A
                100 y: closed B EXPIRED
                100 z: closed C TIMED_OUT
                100 w: shown D
                100 x: closed A TIMED_OUT
                """)
    }

    @Test func `timers due at a command's time come before the command`() {
        Timeline()
            .show("A", duration: 100)
            .at(100).show("B", priority: -1)
            .at(200).show("C", delay: 50)
            .at(250).show("D", priority: 1)
            .gives(
                """
                0 shown A
                100 closed A TIMED_OUT
                100 shown B
                200 queued C
                250 paused B
                250 shown C
                250 paused C
                250 shown D
                """)
    }

    @Test func `late timers have the times at which they were due`() {
        Timeline()
            .show("A", duration: 100).show("B", duration: 100).show("C", ttl: 150)
            .at(1000).show("D")
            .gives(
                """
                0 shown A
                0 queued B
                0 queued C
                100 closed A TIMED_OUT
                100 shown B
                150 closed C EXPIRED
                200 closed B TIMED_OUT
                1000 shown D
                """)
    }

    @Test func `a time before the last one counts as the last one`() {
        Timeline()
            .at(100).show("A", duration: 50)
            .at(20).show("B", duration: 50)
            .gives(
                """
                100 shown A
                100 queued B
                150 closed A TIMED_OUT
                150 shown B
                200 closed B TIMED_OUT
                """)
    }
}
