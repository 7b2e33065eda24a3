import PopupAccess
@testable import PopupBroker
import PopupProtocol
import Testing

/// Goes through right × command × form in which it comes. A new kind of command has no row: it does not compile.
@Suite("Every command needs its right, in whatever form it comes")
struct RightsTableTests {
    private static func command(_ kind: CommandKind) -> String {
        switch kind {
        case .show: #"{"show":{"id":"new","group":"g","text":"t"}}"#
        case .update: #"{"update":{"id":"shown","group":"g","text":"u"}}"#
        case .dismiss: #"{"dismiss":{"id":"waiting","group":"g"}}"#
        case .advance: #"{"advance":{"group":"g"}}"#
        case .clear: #"{"clear":{"selector":{"group":"g"}}}"#
        case .suspend: #"{"suspend":{"group":"g","token":"mine"}}"#
        case .resume: #"{"resume":{"token":"held"}}"#
        case .setPolicy: #"{"setPolicy":{"group":"g","preset":"FIFO"}}"#
        case .unsetPolicy: #"{"unsetPolicy":{"group":"g"}}"#
        case .setSession: #"{"setSession":{"group":"g","session":"s"}}"#
        case .report: #"{"report":{"id":"shown","group":"g","client":"r","visible":{}}}"#
        case .answer: #"{"answer":{"id":"shown","group":"g","client":"r","veto":{}}}"#
        case .lease: #"{"lease":{"client":"r","groups":["g"]}}"#
        case .page: #"{"page":{"tree":"t","open":{"node":"n","value":"v"}}}"#
        case .query: #"{"query":{"client":"q","nonce":"1","count":{"selector":{"group":"g"}}}}"#
        }
    }

    private static func right(for kind: CommandKind) -> Right {
        switch kind {
        case .show: .show
        case .update: .update
        case .dismiss: .dismiss
        case .report, .answer, .lease: .render
        case .query: .query
        case .advance, .clear, .suspend, .resume, .setPolicy, .unsetPolicy, .setSession, .page: .control
        }
    }

    /// Pages are of no group: who changes them controls all groups.
    private static func groups(for kind: CommandKind) -> String { kind == .page ? "*" : "g" }

    private func broker(_ kind: CommandKind, _ right: Right) throws -> GuardedBroker {
        let broker = try GuardedBroker(["clerk": [GuardedBroker.grant([right], in: Self.groups(for: kind))]])
        for command in [
            #"{"show":{"id":"shown","group":"g","text":"t"}}"#, #"{"show":{"id":"waiting","group":"g","text":"t"}}"#,
            #"{"suspend":{"group":"g","token":"held","minPriority":-5}}"#,
        ] {
            let refusal = try broker.send("chief", command)
            #expect(refusal == nil)
        }
        return broker
    }

    @Test("and no other right will do", arguments: CommandKind.allCases, GuardedBroker.Form.allCases)
    func table(kind: CommandKind, form: GuardedBroker.Form) throws {
        for right in Right.allCases {
            let broker = try broker(kind, right)
            let refusal = try broker.refusal("clerk", Self.command(kind), as: form)
            let needed = Self.right(for: kind)
            if right == needed {
                #expect(refusal?.reason != "PERMISSION_DENIED", "\(right)")
                #expect(broker.denied == [])
            } else {
                #expect(refusal?.reason == "PERMISSION_DENIED", "\(right)")
                #expect(refusal?.detail.contains("needs the right \(needed.rawValue)") == true, "\(refusal as Any)")
                #expect(broker.denied == ["clerk \(needed.rawValue) 1"])
            }
        }
    }
}
