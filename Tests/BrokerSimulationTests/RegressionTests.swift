import Testing

/// Scripts that once failed, shrunk to what made them fail.
@Suite struct RegressionTests {
    @Test func `a broker under a clock set back tells its states again`() throws {
        let script = try Script(
            seed: 4,
            #"""
            18743 p2 {"show":{"group":"a/c"}}
            23849 crash publish 21 down 1083 clock -3600000
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `policies that a full disk did not take are set when they are read again`() throws {
        let script = try Script(
            seed: 4,
            #"""
            100 fail 1
            200 reconfigure {"group":"a/b","preset":"FIFO"}
            300 reconfigure {"group":"a/b","preset":"FIFO"}
            400 p1 {"show":{"id":"q1","group":"a/b"}}
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `a lease that a full disk did not change goes on`() throws {
        let script = try Script(
            seed: 1,
            #"""
            10000 fill-disk 7000
            10100 c1 {"lease":{"client":"r1","groups":["a"]}}
            20000 c1 {"show":{"id":"q1","group":"a/b"}}
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `leases end in the order in which they run out, though one was renewed`() throws {
        let script = try Script(
            seed: 2,
            #"""
            10000 c1 {"lease":{"client":"x","groups":["a"]}}
            10100 c1 {"lease":{"client":"y","groups":["a"]}}
            10400 c1 {"lease":{"client":"x","groups":["a"]}}
            14950 stall 700
            16000 c1 {"show":{"id":"q1","group":"a/b"}}
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `what takes the place of the active one is shown over the cap`() throws {
        let script = try Script(
            seed: 9305,
            #"""
            13028 c1 {"producer":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","setPolicy":{"group":"a/b","caps":[{"most":1,"perMs":2400}]}}
            24788 c1 {"advance":{}} {"show":{"group":"a/b","collapseKey":"l"}}
            25058 c1 {"update":{}} {"show":{}} {"show":{}} {"update":{}} {"show":{"group":"a/b","collapseKey":"l"}}
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `a cap does not count what was shown before it was set, in the same batch either`() throws {
        let script = try Script(
            seed: 9474,
            #"""
            6478 stall 2612
            7088 p2 {"producer":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","show":{"group":"a/b","capKey":"ads"}}
            7118 c1 {"setPolicy":{"group":"a/b","caps":[{"capKey":"ads","most":1,"perMs":4800}]}}
            11801 perform {"show":{"id":"q35","group":"a/b","durationMs":2200,"surface":"bar","capKey":"ads"}}
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `what a disk did not take is refused after what was due before`() throws {
        let script = try Script(
            seed: 99,
            #"""
            12034 p1 {"show":{"group":"a"}}
            12344 reconfigure {"group":"a","preset":"PRIORITY","defaultDurationMs":1600,"overflow":"REJECT_NEW"} {"group":"a/c","preset":"POLITE","resume":"RESTART"}
            13034 crash receive 2 down 556 clock 0
            16854 c1 {"lease":{}} {"query":{}} {"advance":{}} {"producer":"00000000000000000000000000000000","setSession":{"group":"a/b"}}
            17754 c1 {"show":{}} {"dismiss":{}} {"setPolicy":{"group":"a/b","maxDurationMs":1500,"maxWaiting":0}}
            17754 stall 424
            18694 p2 {"query":{}} {"dismiss":{}} {"dismiss":{}} {"update":{}} {"show":{"id":"q57","group":"a/b","session":"anna"}} {"show":{}}
            20034 p1 {"show":{}}
            20034 c1 {"producer":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","advance":{}} {"producer":"00000000000000000000000000000000","query":{}} {"setSession":{}}
            21754 p2 {"show":{"group":"a","offerMs":900}} {"producer":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","show":{}}
            21904 p1 {"show":{"group":"a/b"}}
            22124 stall 2361
            24304 fail 1
            24694 perform {"producer":"00000000000000000000000000000000","show":{"id":"q78","group":"a/c","priority":-1,"flow":{"key":"buy","stage":3,"holdMs":700},"session":"bert","surface":"top"}}
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `what quiet windows change when the wall clock is set is published before the next command`() throws {
        let script = try Script(
            seed: 11,
            #"""
            2100 p2 {"setPolicy":{"group":"a/*","quiet":[{"from":"03:00","to":"02:01","timeZone":"Europe/Berlin"}]}}
            2200 p2 {"producer":"00000000000000000000000000000000","show":{"group":"a/b"}}
            3600 set-wall-clock -3600000
            12962 p1 {"show":{"group":"a/b"}}
            12962 set-wall-clock 86400000
            4920 fail-machine beforeCommit down 493 clock 3600000
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test(arguments: [-86_400_000, -3_600_000, 3_600_000, 86_400_000])
    func `quiet windows follow a wall clock that is set again and again, and a restart agrees`(change: Int) throws {
        let script = try Script(
            seed: 11,
            #"""
            2100 p2 {"setPolicy":{"group":"a/*","quiet":[{"from":"03:00","to":"02:01","timeZone":"Europe/Berlin"}]}}
            2200 p2 {"show":{"group":"a/b","durationMs":9000}} {"show":{"group":"a/c"}}
            3600 set-wall-clock \#(change)
            5200 p1 {"show":{"group":"a/b"}}
            7100 set-wall-clock \#(-change)
            8300 crash beforeCommit down 493 clock 0
            9900 set-wall-clock \#(change)
            12962 p1 {"show":{"group":"a/b"}}
            14962 crash afterCommit down 2493 clock -3600000
            """#)

        #expect(World(script, hasPlugins: false).run() == nil)
    }

    @Test func `a start whose clock is behind goes on from what is committed`() throws {
        let script = try Script(
            seed: 26,
            #"""
            980 p1 {"resume":{}} {"dismiss":{}} {"query":{}} {"show":{"id":"q3","group":"a/b","session":"bert"}} {"producer":"a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1","setSession":{}} {"show":{}}
            2120 c1 {"setSession":{"group":"a/b","session":"bert"}}
            2360 crash afterCommit down 219 clock 700
            2460 c1 {"page":{"tree":"kiosk","open":{"node":"n5","value":"detail"}}}
            2740 crash beforeCommit down 117 clock -2500
            """#)

        #expect(World(script).run() == nil)
    }

    @Test func `the caps of a policy that is unset hold no longer`() throws {
        let script = try Script(
            seed: 5127,
            #"""
            0 perform {"setPolicy":{"group":"a/c","preset":"STACKED","resume":"REMAINING","gapMinMs":100,"gapMaxMs":400,"maxDurationMs":100,"caps":[{"capKey":"ads","most":1,"perMs":500},{"most":1,"perMs":6000}],"agingMs":1500}}
            15831 p1 {"unsetPolicy":{"group":"a/c"}}
            19021 c1 {"show":{"group":"a/c"}} {"show":{"group":"a/c"}}
            """#)

        #expect(World(script).run() == nil)
    }

    @Test func `an id that is used again while nobody is told begins another life`() throws {
        let show =
            #"{"show":{"id":"q3","group":"g","priority":3,"durationMs":700,"ttlMs":1000,"delayMs":1400,"minDisplayMs":700}}"#
        let script = try Script(
            seed: 32,
            """
            10363 p2 \(show)
            12343 p1 {"show":{"group":"a/b"}}
            12343 crash publish 19 down 1304 clock 86400000
            12343 fail 3
            15660 p1 \(show)
            15336 fail-machine publish 8 down 655 clock -2500
            """)

        #expect(World(script).run() == nil)
    }
}
