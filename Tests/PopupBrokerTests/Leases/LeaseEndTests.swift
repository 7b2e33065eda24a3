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
}
