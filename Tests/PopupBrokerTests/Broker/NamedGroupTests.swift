import PopupBroker
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("A command that names the group of its popup")
struct NamedGroupTests {
    /// A command about the popup `A` of the group `a`.
    private static let commands: [(name: String, set: @Sendable (inout WireCommand, _ group: String) -> Void)] = [
        ("update", { $0.update = .with(id: "A", group: $1) }),
        ("report", { $0.report = .displayed(id: "A", group: $1) }),
        ("answer", { $0.answer = .veto(id: "A", group: $1) }),
        ("dismiss", { $0.dismiss = .with(id: "A", group: $1) }),
    ]

    private func broker(offering: Bool) throws -> Harness {
        let broker = try Harness(subscriptions: ["events/"])
        if offering { try broker.send(#"{"setPolicy":{"group":"a","offerMs":1000}}"#) }
        try broker.send(#"{"show":{"id":"A","group":"a"}}"#)
        _ = try broker.receivedEvents()
        return broker
    }

    @Test("is refused NOT_FOUND when the popup is in another one, and that one is told", arguments: commands.indices)
    func otherGroup(index: Int) throws {
        for isJSON in [false, true] {
            let (name, set) = Self.commands[index]
            let broker = try broker(offering: name == "answer")
            var command = WireCommand()
            set(&command, "b")
            if isJSON { try broker.send(command.jsonString()) } else { try broker.send(command) }
            #expect(try broker.receivedEvents() == ["0 b A refused NOT_FOUND"], "\(name), JSON: \(isJSON)")
        }
    }

    @Test("is obeyed when the popup is in it, or when it names none", arguments: commands.indices, ["a", ""])
    func itsGroup(index: Int, group: String) throws {
        for isJSON in [false, true] {
            let (name, set) = Self.commands[index]
            let broker = try broker(offering: name == "answer")
            var command = WireCommand()
            set(&command, group)
            if isJSON { try broker.send(command.jsonString()) } else { try broker.send(command) }
            #expect(broker.stats.refused == 0, "\(name), JSON: \(isJSON)")
        }
    }

    @Test("is refused INVALID when the name is none")
    func noName() throws {
        let broker = try broker(offering: false)
        try broker.send(#"{"dismiss":{"id":"A","group":"a//b"}}"#)
        #expect(broker.stats.refused == 1)
        #expect(broker.stats.popups == 1)
    }
}

extension WireUpdate {
    fileprivate static func with(id: String, group: String) -> WireUpdate {
        .with {
            $0.id = id
            $0.group = group
            $0.text = "changed"
        }
    }
}

extension WireDismiss {
    fileprivate static func with(id: String, group: String) -> WireDismiss {
        .with {
            $0.id = id
            $0.group = group
        }
    }
}

extension WireReport {
    fileprivate static func displayed(id: String, group: String) -> WireReport {
        .with {
            $0.id = id
            $0.client = "screen"
            $0.group = group
            $0.displayed = .init()
        }
    }
}

extension WireAnswer {
    fileprivate static func veto(id: String, group: String) -> WireAnswer {
        .with {
            $0.id = id
            $0.client = "screen"
            $0.group = group
            $0.veto = .init()
        }
    }
}
