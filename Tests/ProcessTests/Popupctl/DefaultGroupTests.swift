import Foundation
import PopupProtocol
import Testing
import TestPrograms

@Suite("The variable POPUP_GROUP of popupctl", .ownThread)
struct DefaultGroupTests {
    let broker: BrokerProcess
    let wire: Wire

    init() throws {
        broker = try BrokerProcess()
        wire = try broker.wire(following: "events/")
        try wire.send([show("A", in: "store/1"), show("B", in: "store/1"), show("C", in: "store/2")])
        try wire.settle()
    }

    /// The end of a run in the group of the variable; nil: there is no such variable.
    private func run(_ arguments: String..., group: String? = "store/1") throws -> ChildProcess.Result {
        try run(arguments, group: group)
    }

    private func run(_ arguments: [String], group: String?) throws -> ChildProcess.Result {
        var environment = ["POPUP_BROKER_INGRESS": broker.ingress, "POPUP_BROKER_EGRESS": broker.egress]
        environment["POPUP_GROUP"] = group
        return try ChildProcess(Programs.control, arguments, environment: environment).result()
    }

    @Test("is named by the help of the subcommands that are tested here, and of no other")
    func help() throws {
        let dump = try run("--experimental-dump-help").output
        let tool = try #require(try JSONSerialization.jsonObject(with: Data(dump.utf8)) as? [String: Any])
        let command = try #require(tool["command"] as? [String: Any])
        let subcommands = try #require(command["subcommands"] as? [[String: Any]])
        #expect(subcommands.count > 20)
        let named = try subcommands.filter {
            try String(decoding: JSONSerialization.data(withJSONObject: $0), as: UTF8.self).contains("POPUP_GROUP")
        }.compactMap { $0["commandName"] as? String }
        #expect(Set(named) == ["show", "peek", "advance"])
    }

    @Test("is the group in which `show` shows")
    func groupOfShow() throws {
        let shown = try run("show", "--id", "D", "Hello", group: "store/3")
        #expect(shown.exit == .code(0), "\(shown.error)")
        #expect(shown.output == "D: active in store/3\n")
        #expect(try run("show", "--group", "store/4", "--id", "E", "Hello").output == "E: active in store/4\n")
    }

    @Test("is the group of which `peek` tells")
    func groupOfPeek() throws {
        let first = { (result: ChildProcess.Result) in
            result.lines.dropFirst().map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        }
        #expect(try first(run("peek")) == ["A store/1", "B store/1"])
        #expect(try first(run("peek", "store/2")) == ["C store/2"])
    }

    @Test("is the group that `advance` advances")
    func groupOfAdvance() throws {
        let advanced = try run("advance")
        #expect(advanced.exit == .code(0), "\(advanced.error)")
        #expect(advanced.output.hasSuffix("store/1: shows B\n"))
        #expect(try run("advance", "store/2").output.hasPrefix("C: "))
        #expect(try wire.ask(#""count":{}"#).count.popups == 1)
    }

    @Test("or an argument has to be given", arguments: [["show", "Hello"], ["peek"], ["advance"]])
    func missing(arguments: [String]) throws {
        for group in [nil, ""] {
            let result = try run(arguments, group: group)
            #expect(result.exit == .code(64))
            #expect(result.error.contains("the variable POPUP_GROUP"), "\(result.error)")
        }
    }
}
