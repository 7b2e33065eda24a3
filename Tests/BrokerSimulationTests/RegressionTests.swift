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

        #expect(World(script).run() == nil)
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

        #expect(World(script).run() == nil)
    }
}
