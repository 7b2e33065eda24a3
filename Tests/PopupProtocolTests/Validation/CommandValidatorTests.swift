import PopupProtocol
import Testing

@Suite("Validation")
struct CommandValidatorTests {
    private let validator = CommandValidator(limits: WireLimits(contentBytes: 10))

    private func refusal(_ json: String) throws -> CommandRefusal? {
        let command = try Ingress.command(json: Array(json.utf8))
        do throws(CommandRefusal) {
            try validator.validate(command)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "accepts what the protocol allows",
        arguments: [
            #"{"show":{"group":"g"}}"#,
            #"{"producer":"000000000000000000000000000000aB","sequence":"7","show":{"id":"Ä b/*","group":"g","text":"0123456789"}}"#,
            #"{"show":{"group":"g","actions":[{"id":"ok"}],"presentation":{"scene":"TOP_BAR"},"exclusive":"ALL"}}"#,
            #"{"update":{"id":"A","priority":0}}"#, #"{"dismiss":{"id":"A"}}"#, #"{"advance":{"group":"a/b"}}"#,
            #"{"clear":{"selector":{"group":"*"}}}"#, #"{"clear":{"selector":{"waiting":true}}}"#,
            #"{"clear":{"selector":{"surface":"s"}}}"#, #"{"clear":{"selector":{"collapseKey":"k"}}}"#,
            #"{"clear":{"selector":{"priorityAbove":0}}}"#, #"{"clear":{"selector":{"priorityBelow":0}}}"#,
            #"{"clear":{"selector":{"producer":"000000000000000000000000000000AB"}}}"#,
            #"{"clear":{"selector":{"active":true}}}"#, #"{"clear":{"selector":{"paused":true}}}"#,
            #"{"clear":{"selector":{"group":"a/*","priorityBelow":3}}}"#,
            #"{"suspend":{"group":"*","token":"t"}}"#, #"{"resume":{"token":"t"}}"#,
            #"{"setPolicy":{"group":"a/*","preset":"FIFO","gapMinMs":1,"gapMaxMs":1,"quiet":[{"from":"22:00","to":"07:00","timeZone":"UTC"}]}}"#,
            #"{"setSession":{"group":"g"}}"#, #"{"report":{"id":"A","client":"r1","displayed":{}}}"#,
            #"{"answer":{"id":"A","client":"r1","later":{}}}"#, #"{"lease":{"client":"r1","groups":["a","b/*"]}}"#,
            #"{"page":{"tree":"t","open":{"node":"n","value":"v"}}}"#,
            #"{"query":{"client":"me","nonce":"1","stats":{}}}"#,
            #"{"query":{"client":"me","nonce":"1","list":{}}}"#,
            #"{"query":{"client":"me","nonce":"1","list":{"selector":{"grup":"a"}}}}"#,
            #"{"query":{"client":"me","nonce":"1","count":{"selector":{}}}}"#,
            #"{"show":{"group":"g","flow":{"key":"f","stage":4294967295,"requires":{"popup":"A"},"holdMs":1}}}"#,
            #"{"show":{"group":"g","page":{"tree":"t","value":"v","scope":"WITHIN"},"session":"s","offerMs":1,"quorum":2,"capKey":"c"}}"#,
            #"{"setPolicy":{"group":"g","caps":[{"most":1,"perMs":1},{"most":10000,"perMs":2},{"capKey":"c","most":1,"perMs":1}]}}"#,
            #"{"setPolicy":{"group":"g","clock":"VISIBLE","offerMs":0,"quorum":1,"maxAttempts":100,"displayTimeoutMs":10,"agingMs":0,"pageTree":""}}"#,
            #"{"lease":{"client":"r1"}}"#, #"{"dismiss":{"id":"A","client":"r1"}}"#,
            #"{"answer":{"id":"A","client":"r1","accept":{}}}"#, #"{"page":{"tree":"t","enter":{"node":"n"}}}"#,
            #"{"page":{"tree":"t","close":{"node":"n"}}}"#, #"{"page":{"tree":"t","clear":{}}}"#,
            #"{"query":{"client":"me","nonce":"1","path":{"tree":"t","except":"home","separator":" > "}}}"#,
            #"{"query":{"client":"me","nonce":"1","path":{"tree":"t","except":""}}}"#,
        ])
    func accepted(json: String) throws {
        #expect(try refusal(json) == nil)
    }

    @Test(
        "names the field that is wrong",
        arguments: [
            (#"{"producer":"7","resume":{"token":"t"}}"#, "`producer` is not a valid producer"),
            (#"{"sequence":1,"resume":{"token":"t"}}"#, "`sequence` without a `producer`"),
            (#"{"show":{}}"#, "`show.group` is missing"),
            (#"{"show":{"group":"a b"}}"#, "`show.group` is not a valid group name"),
            (#"{"show":{"group":"a/*"}}"#, "`show.group` is not a valid group name"),
            (#"{"show":{"group":"g","id":"a\nb"}}"#, "`show.id` has a control character"),
            (#"{"show":{"group":"g","exclusive":9}}"#, "`show.exclusive` has no value 9"),
            (#"{"show":{"group":"g","actions":[{"id":"a"},{"label":"b"}]}}"#, "`show.actions[1].id` is missing"),
            (#"{"show":{"group":"g","presentation":{"animation":8}}}"#, "`show.presentation.animation` has no value 8"),
            (#"{"show":{"group":"g","flow":{}}}"#, "`show.flow.key` is missing"),
            (
                #"{"show":{"group":"g","quorum":2,"quorumAll":true}}"#,
                "`show.quorumAll` is given together with `quorum`"
            ),
            (#"{"show":{"group":"g","flow":{"key":"f","requires":{}}}}"#, "`show.flow.requires.popup` is missing"),
            (
                #"{"show":{"id":"A","group":"g","flow":{"key":"f","requires":{"popup":"A"}}}}"#,
                "`show.flow.requires.popup` is the popup itself"
            ),
            (#"{"show":{"group":"g","page":{"value":"v"}}}"#, "`show.page.tree` is missing"),
            (#"{"show":{"group":"g","page":{"tree":"t"}}}"#, "`show.page.value` is missing"),
            (#"{"show":{"group":"g","page":{"tree":"t","value":"v","scope":3}}}"#, "`show.page.scope` has no value 3"),
            (#"{"show":{"group":"g","session":"a\tb"}}"#, "`show.session` has a control character"),
            (#"{"show":{"group":"g","id":"a\u0080"}}"#, "`show.id` has a control character"),
            (#"{"show":{"group":"g","collapseKey":"\u009b31m"}}"#, "`show.collapseKey` has a control character"),
            (#"{"dismiss":{"id":"a","action":"\u0085"}}"#, "`dismiss.action` has a control character"),
            (
                #"{"show":{"group":"g","presentation":{"title":"a\u009fb"}}}"#,
                "`show.presentation.title` has a control character"
            ),
            (#"{"show":{"group":"g","capKey":"\n"}}"#, "`show.capKey` has a control character"),
            (#"{"update":{}}"#, "`update.id` is missing"),
            (#"{"dismiss":{"id":"A","client":"a b"}}"#, "`dismiss.client` is not a valid token"),
            (#"{"dismiss":{"action":"ok"}}"#, "`dismiss.id` is missing"),
            (#"{"advance":{"group":"*"}}"#, "`advance.group` is not a valid group name"),
            (#"{"clear":{}}"#, "`clear.selector` is missing"),
            (#"{"clear":{"selector":{}}}"#, "`clear.selector` names nothing"),
            (#"{"clear":{"selector":{"grup":"other"}}}"#, "`clear.selector` names nothing"),
            (#"{"clear":{"selector":{"group":"","waiting":false}}}"#, "`clear.selector` names nothing"),
            (#"{"clear":{"selector":{"group":"a*"}}}"#, "`clear.selector.group` is not a valid group name or pattern"),
            (#"{"clear":{"selector":{"producer":"x"}}}"#, "`clear.selector.producer` is not a valid producer"),
            (#"{"suspend":{"group":"g"}}"#, "`suspend.token` is missing"),
            (#"{"suspend":{"token":"t"}}"#, "`suspend.group` is missing"),
            (#"{"resume":{}}"#, "`resume.token` is missing"),
            (#"{"setPolicy":{"preset":"FIFO"}}"#, "`setPolicy.group` is missing"),
            (#"{"setPolicy":{"group":"g","gapMs":1,"gapMaxMs":2}}"#, "`setPolicy.gapMs` is given together"),
            (
                #"{"setPolicy":{"group":"g","gapMinMs":3,"gapMaxMs":2}}"#,
                "`setPolicy.gapMinMs` is 3, above `gapMaxMs` 2"
            ),
            (#"{"setPolicy":{"group":"g","lower":-1}}"#, "`setPolicy.lower` has no value -1"),
            (
                #"{"setPolicy":{"group":"g","quiet":[{"from":"25:00","to":"07:00"}]}}"#,
                "`setPolicy.quiet[0].from` is not a time"
            ),
            (
                #"{"setPolicy":{"group":"g","quiet":[{"from":"22:00","to":"+7:00"}]}}"#,
                "`setPolicy.quiet[0].to` is not a time"
            ),
            (
                #"{"setPolicy":{"group":"g","quiet":[{"from":"07:00","to":"07:00","timeZone":"UTC"}]}}"#,
                "`setPolicy.quiet[0].to` is `from`"
            ),
            (
                #"{"setPolicy":{"group":"g","quiet":[{"from":"22:00","to":"07:00"}]}}"#,
                "`setPolicy.quiet[0].timeZone` is missing"
            ),
            (#"{"setPolicy":{"group":"g","caps":[{"most":1}]}}"#, "`setPolicy.caps[0].perMs` is 0"),
            (#"{"setPolicy":{"group":"g","caps":[{"perMs":1}]}}"#, "`setPolicy.caps[0].most` is 0; give 1 to 10000"),
            (#"{"setPolicy":{"group":"g","caps":[{"most":10001,"perMs":1}]}}"#, "`setPolicy.caps[0].most` is 10001"),
            (
                #"{"setPolicy":{"group":"g","caps":[{"most":1,"perMs":9},{"most":2,"perMs":9}]}}"#,
                "`setPolicy.caps[1]` has the key and the window of `caps[0]`"
            ),
            (#"{"setPolicy":{"group":"g","quorum":0}}"#, "`setPolicy.quorum` is 0"),
            (#"{"setPolicy":{"group":"g","maxAttempts":0}}"#, "`setPolicy.maxAttempts` is 0"),
            (#"{"setPolicy":{"group":"g","maxAttempts":101}}"#, "`setPolicy.maxAttempts` is 101; give at most 100"),
            (#"{"setPolicy":{"group":"g","maxAttempts":4294967295}}"#, "`setPolicy.maxAttempts` is 4294967295"),
            (
                #"{"setPolicy":{"group":"g","displayTimeoutMs":9}}"#,
                "`setPolicy.displayTimeoutMs` is 9; give at least 10"
            ),
            (#"{"report":{"id":"A","client":"r"}}"#, "`report.report` is missing"),
            (#"{"answer":{"id":"A","client":"a b","veto":{}}}"#, "`answer.client` is not a valid token"),
            (
                #"{"lease":{"client":"r","groups":["ok","not ok"]}}"#,
                "`lease.groups[1]` is not a valid group name or pattern"
            ),
            (#"{"page":{"tree":"t"}}"#, "`page.page` is missing"),
            (
                #"{"page":{"tree":"t","open":{"node":"n","parent":"n","value":"v"}}}"#,
                "`page.open.parent` is the page itself"
            ),
            (#"{"page":{"tree":"t","open":{"node":"n"}}}"#, "`page.open.value` is missing"),
            (
                #"{"query":{"client":"me","nonce":"1","path":{"tree":"t","except":"a\nb"}}}"#,
                "`query.path.except` has a control character"
            ),
            (
                #"{"query":{"client":"me","nonce":"1","path":{"tree":"t","separator":"12345678901234567"}}}"#,
                "`query.path.separator` has 17 bytes; at most 16 are allowed"
            ),
            (#"{"query":{"nonce":"1","stats":{}}}"#, "`query.client` is missing"),
            (#"{"query":{"client":"a/b","nonce":"1","stats":{}}}"#, "`query.client` is not a valid token"),
            (#"{"query":{"client":"me","nonce":"1"}}"#, "`query.query` is missing"),
            (
                #"{"query":{"client":"me","nonce":"1","list":{"selector":{"group":"/"}}}}"#,
                "`query.list.selector.group` is no"
            ),
        ])
    func refused(json: String, start: String) throws {
        let refusal = try #require(try refusal(json))
        #expect(refusal.reason == .invalid)
        #expect(refusal.detail.hasPrefix(start), "\(refusal.detail)")
    }

    @Test(
        "refuses content over its limit as too large and tells its group and popup",
        arguments: [
            #"{"show":{"id":"A","group":"g","text":"01234567890"}}"#,
            #"{"show":{"id":"A","group":"g","data":"MDEyMzQ1Njc4OTA="}}"#,
        ])
    func tooLarge(json: String) throws {
        let refusal = try #require(try refusal(json))
        #expect(refusal.reason == .tooLarge)
        #expect(refusal.group == GroupName("g"))
        #expect(refusal.popup == "A")
    }

    @Test("counts the entries of lists up to the limit and no further")
    func listLengths() throws {
        func caps(_ count: Int) -> String { (1...count).map { #"{"most":1,"perMs":\#($0)}"# }.joined(separator: ",") }
        #expect(try refusal(#"{"setPolicy":{"group":"g","caps":[\#(caps(16))]}}"#) == nil)
        #expect(
            try refusal(#"{"setPolicy":{"group":"g","caps":[\#(caps(17))]}}"#)?.detail
                == "`setPolicy.caps` has 17 entries; at most 16 are allowed")
    }

    @Test("counts bytes up to the limit and no further")
    func idLength() throws {
        let longest = String(repeating: "ä", count: 100)
        #expect(try refusal(#"{"resume":{"token":"\#(longest)"}}"#) == nil)
        #expect(
            try refusal(#"{"resume":{"token":"\#(longest)x"}}"#)
                == CommandRefusal(.invalid, "`resume.token` has 201 bytes; at most 200 are allowed"))
    }
}
