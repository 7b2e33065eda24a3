import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import Testing

@Suite("The end of a lease")
struct LeaseEndTests {
    @Test("comes in time, whatever the commands of others have gone through before")
    func visits() throws {
        let broker = try Harness()
        try broker.send(
            #"{"setPolicy":{"group":"g","quorum":2}}"#,
            #"{"lease":{"client":"left","groups":["g"]}}"#, #"{"lease":{"client":"right","groups":["g"]}}"#,
            #"{"show":{"id":"p","group":"g"}}"#,
            // While somebody's dismissal waits for another's, the end of a lease goes through all groups.
            #"{"dismiss":{"id":"p","client":"left"}}"#)
        #expect(broker.leasedPatterns.count == 2)

        broker.limitVisits(ofFrame: 1)
        try broker.advance(to: Scheduler.leaseDuration - 1)
        try broker.send(#"{"query":{"client":"c","nonce":"1","count":{}}}"#)
        try broker.advance(to: Scheduler.leaseDuration)
        #expect(broker.leasedPatterns.isEmpty)
    }

    @Test("of hundreds of renderers at the same time leaves room for the commands of others in every second turn")
    func hundreds() throws {
        let journal = KeepingJournal()
        let broker = try Harness(journal: journal)
        let renderers = 600
        let groups = (0..<100).map { #""kiosk/\#($0)""# }.joined(separator: ",")
        for number in 0..<renderers {
            try broker.send(#"{"lease":{"client":"c\#(number)","groups":[\#(groups)]}}"#)
        }
        broker.client.subscribe(to: "state/g/")
        try broker.turn()
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration)
        broker.client.send(Array(#"{"show":{"id":"p","group":"g"}}"#.utf8))
        var turns = 0
        while try broker.receivedStates().isEmpty {
            _ = try broker.turnOnce()
            turns += 1
        }
        #expect(turns <= 4)
        #expect(broker.leasedPatterns.count > renderers / 2)
        // All of them end.
        for _ in 0..<10_000 where !broker.leasedPatterns.isEmpty { _ = try broker.turnOnce() }
        #expect(broker.leasedPatterns.isEmpty)
        #expect(broker.time == Scheduler.leaseDuration)
        let state = broker.schedulerState()
        try broker.close()
        #expect(try Harness(journal: journal, at: Scheduler.leaseDuration).schedulerState() == state)
    }

    @Test("of many renderers that do little is a bounded number of commits in a turn")
    func commits() throws {
        let broker = try Harness()
        for number in 0..<200 { try broker.send(#"{"lease":{"client":"c\#(number)","groups":["g"]}}"#) }
        broker.jumpWithoutTurn(to: Scheduler.leaseDuration)
        var (before, most) = (broker.stats.batches, UInt64(0))
        for _ in 0..<1000 where !broker.leasedPatterns.isEmpty {
            _ = try broker.turnOnce()
            most = max(most, broker.stats.batches - before)
            before = broker.stats.batches
        }
        #expect(broker.leasedPatterns.isEmpty)
        #expect(most <= 17)
    }
}
