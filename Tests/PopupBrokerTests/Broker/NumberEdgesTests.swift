import PopupBroker
import PopupProtocol
import PopupScheduling
import Testing

/// Numbers at the edges of their types on their whole way: admission, journal, scheduler, states, questions.
@Suite("A number at the edge of its type")
struct NumberEdgesTests {
    /// Commands with one number each.
    static let commands = [
        "uint32": [
            #""durationMs":N"#, #""ttlMs":N"#, #""delayMs":N"#, #""minDisplayMs":N"#, #""offerMs":N"#, #""quorum":N"#,
            #""presentation":{"cornerRadius":N}"#, #""flow":{"key":"f","stage":N}"#, #""flow":{"key":"f","holdMs":N}"#,
        ].map { #"{"show":{"id":"B","group":"g","priority":9,\#($0)}}"# }
            + [
                "gapMs", "gapMaxMs", "gatherMs", "defaultDurationMs", "maxDurationMs", "offerMs", "retryMs",
                "displayTimeoutMs", "maxAttempts", "quorum", "maxWaiting", "agingMs",
            ].map { #"{"setPolicy":{"group":"g","\#($0)":N}}"# }
            + [
                #"{"update":{"id":"A","durationMs":N,"restartTimer":true}}"#,
                #"{"setPolicy":{"group":"g","gapMinMs":N,"gapMaxMs":4294967295}}"#,
                #"{"setPolicy":{"group":"g","caps":[{"most":1,"perMs":N}]}}"#,
                #"{"setPolicy":{"group":"g","caps":[{"most":N,"perMs":1}]}}"#,
                #"{"answer":{"id":"A","client":"r","later":{"retryMs":N}}}"#,
            ],
        "int32": [
            #"{"show":{"id":"B","group":"g","priority":N}}"#, #"{"update":{"id":"A","priority":N}}"#,
            #"{"suspend":{"group":"g","token":"t","minPriority":N}}"#,
            #"{"clear":{"selector":{"priorityAbove":N}}}"#, #"{"clear":{"selector":{"priorityBelow":N}}}"#,
            #"{"query":{"client":"c","nonce":"n","count":{"selector":{"priorityAbove":N}}}}"#,
            #"{"setPolicy":{"group":"g","quiet":[{"from":"00:00","to":"23:59","timeZone":"UTC","minPriority":N}]}}"#,
        ],
        "uint64": [
            #"{"dismiss":{"id":"A","revision":"N"}}"#,
            #"{"producer":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","sequence":"N","show":{"id":"B","group":"g"}}"#,
            #"{"producer":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","sequence":"N","resume":{"token":"t"}}"#,
        ],
    ]

    static let edges: [String: [String]] = [
        "uint32": ["0", "1", "2147483647", "2147483648", "4294967294", "4294967295"],
        "int32": ["-2147483648", "-2147483647", "-1", "0", "1", "2147483646", "2147483647"],
        "uint64": [
            "0", "1", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551614",
            "18446744073709551615",
        ],
    ]

    @Test("changes nothing in what goes on, whatever the clock says", arguments: ["uint32", "int32", "uint64"])
    func edges(type: String) throws {
        let commands = try #require(Self.commands[type])
        let edges = try #require(Self.edges[type])
        for command in commands {
            for edge in edges {
                // Now, and as far from it as a clock is believed.
                for start: Milliseconds in [0, 1_800_000_000_000, TimeLimits.latest] {
                    let broker = try Harness(
                        subscriptions: ["state+json/", "events/", "acks/"], at: start)
                    try broker.send(
                        #"{"lease":{"client":"r","groups":["g"]}}"#,
                        #"{"show":{"id":"A","group":"g","durationMs":4294967295,"actions":[{"id":"ok"}]}}"#,
                        command.replacing("N", with: edge), command.replacing("N", with: edge),
                        #"{"show":{"id":"C","group":"g","priority":1,"durationMs":4294967295,"delayMs":1}}"#)
                    try broker.advance(by: 10)
                    try broker.send(
                        #"{"query":{"client":"c","nonce":"n","explain":{"id":"B"}}}"#, #"{"advance":{"group":"g"}}"#,
                        #"{"query":{"client":"c","nonce":"n","peek":{"group":"g"}}}"#)
                    // What is good beside it is taken.
                    try broker.send(#"{"show":{"id":"D","group":"other"}}"#)
                    #expect(broker.stats.popups > 0, "\(command) \(edge)")
                }
            }
        }
    }
}
