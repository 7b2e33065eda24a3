import Foundation
import PopupProtocol
@_spi(Wire) import PopupValues
import SchemaReading
import SwiftProtobuf
import Testing

@Suite("The values of applications")
struct PopupValuesTests {
    @Test("are what the generator makes of the schema")
    func generated() throws {
        #expect(
            try isUpToDate(codeOf: "Scripts/popup_values.py"), "they are not as the schema has it: run make protobuf")
    }

    @Test("are on the wire what their properties say")
    func properties() throws {
        var popup = Popup(id: "A", group: "lobby", priority: -3, duration: .seconds(8), title: "Hi", text: "Hello")
        popup.exclusive = .group
        popup.interruptible = false
        popup.actions = [PopupAction(id: "ok", label: "OK"), PopupAction(id: "no", label: "No")]
        popup.presentation.scene = .topBar
        popup.flow = PopupFlow("wish", stage: 2, requires: PopupRequirement("B", action: "ok"), hold: .seconds(1))
        popup.page = .within("history", in: "app")
        popup.ttlMs = .max
        let json =
            #"{"show":{"id":"A","group":"lobby","priority":-3,"durationMs":8000,"ttlMs":4294967295,"exclusive":"GROUP","#
            + #""interruptible":false,"text":"Hello","actions":[{"id":"ok","label":"OK"},{"id":"no","label":"No"}],"#
            + #""presentation":{"scene":"TOP_BAR","title":"Hi"},"flow":{"key":"wish","stage":2,"requires":{"popup":"B","#
            + #""action":"ok"},"holdMs":1000},"page":{"tree":"app","value":"history","scope":"WITHIN"}}}"#
        #expect(String(decoding: PopupCommand(.show(popup)).json, as: UTF8.self) == json)
        #expect(try PopupCommand(json: json.utf8).show == popup)
    }

    @Test("have no value where the wire has no field, and the other way round")
    func absence() {
        var popup = Popup()
        #expect((popup.remainingMs, popup.interruptible, popup.flow) == (nil, nil, nil))
        popup.remainingMs = 0
        popup.interruptible = false
        popup.flow = PopupFlow()
        #expect(popup.wire.hasRemainingMs && popup.wire.hasInterruptible && popup.wire.hasFlow)
        #expect((popup.remainingMs, popup.interruptible, popup.flow) == (0, false, PopupFlow()))
        popup.remainingMs = nil
        popup.interruptible = nil
        popup.flow = nil
        #expect(popup == Popup())

        // One of a message that an empty one stands for is never absent.
        #expect(popup.presentation == PopupPresentation())
        var state = PublishedState()
        #expect(state.active == nil && state.cause == PopupCause())
        state.active = Popup(id: "A", group: "g", text: "")
        #expect(GroupState(state, received: .now).popup?.id == "A")
        state.offered = true
        #expect(GroupState(state, received: .now).popup == nil)
        #expect(GroupState(state, received: .now).offered?.id == "A")
    }

    @Test("have one of several fields as the case of an enum")
    func choices() throws {
        var popup = Popup()
        #expect(popup.content == nil)
        popup.text = "Hi"
        #expect(popup.content == .text("Hi"))
        popup.content = .data(Data([1, 2]))
        #expect((popup.text, popup.data) == (nil, Data([1, 2])))
        popup.content = nil
        #expect(popup == Popup())

        var event = PopupEvent()
        event.event = .queued
        #expect(event.wire.event == .queued(WireQueued()))
        var closed = PopupClosed()
        (closed.reason, closed.displayedMs) = (.dismissed, 9)
        event.closed = closed
        #expect(event.event == .closed(closed) && event.shown == nil)
        event.shown = nil
        #expect(event.event == .closed(closed), "it has no `shown` that could be removed")
        event.closed = nil
        #expect(event.event == nil)

        var answer = PopupCommand.Answer()
        answer.answer = .accept
        #expect(answer.wire.answer == .accept(WireEmpty()))
        #expect(PopupCommand(.answer(answer)).command == .answer(answer))
    }

    @Test("keep a value of an enum that this version does not have")
    func unrecognized() {
        #expect(PopupClosed.Reason(wire: .UNRECOGNIZED(77)) == .unrecognized(77))
        #expect(PopupClosed.Reason.unrecognized(77).wire == .UNRECOGNIZED(77))
        #expect(PopupClosed.Reason.unrecognized(77).name == "77")
        var wire = WireClosed()
        wire.reason = .UNRECOGNIZED(77)
        var closed = PopupClosed(wire: wire)
        closed.reason = closed.reason
        #expect(closed.reason == .unrecognized(77) && closed.wire == wire)
    }

    @Test("keep the fields that this version does not have")
    func unknownFields() throws {
        // Field 1000 with the varint 5, in the popup and in a message inside it.
        let unknown: [UInt8] = [0xC0, 0x3E, 5]
        let action: [UInt8] = [0x0A, 2] + Array("ok".utf8) + unknown
        var wire = WirePopup()
        wire.id = "A"
        wire.actions = [try WireAction(serializedBytes: action)]
        let bytes: [UInt8] = try wire.serializedBytes() + unknown

        var popup = Popup(wire: try WirePopup(serializedBytes: bytes))
        #expect(popup.actions.first?.id == "ok")
        popup.priority = 7
        popup.actions[0].label = "OK"
        #expect(popup.wire.unknownFields.data == Data(unknown))
        #expect(popup.wire.actions[0].unknownFields.data == Data(unknown))
        popup.priority = 0
        popup.actions[0].label = ""
        #expect(try popup.wire.serializedBytes() == bytes)
    }

    @Test("are printed as the JSON of the protocol")
    func description() {
        #expect("\(PopupAction(id: "ok", label: "OK"))" == #"{"id":"ok","label":"OK"}"#)
    }

    @Test("have the names of the schema for the values of their enums")
    func names() {
        #expect(PopupClosed.Reason.allCases.map(\.wire) == WireClosed.Reason.allCases)
        #expect(RefusalReason.allCases.map(\.wire) == WireRefused.Reason.allCases)
        #expect(GroupPolicy.Interruption.allCases.map(\.name) == ["UNSPECIFIED", "STOP", "PAUSE", "DEFER", "NEVER"])
        #expect(PopupPresentation.Scene.allCases.map(\.name).first == "SCENE_UNSPECIFIED")
        #expect(PopupPhase.allCases.map(\.name) == WirePhase.Name.allCases.map { $0.schemaName.lowercased() })
    }

    @Test(
        "a command that is not valid JSON, or that the schema does not have, is refused with its place",
        arguments: [
            ("{\"show\":", RefusalReason.malformed, "byte"),
            (#"{"dance":{}}"#, .unsupported, "command"),
            (#"{"show":{"group":"g","durationMS":5}}"#, .malformed, "did you mean `durationMs`?"),
            (#"{"show":{"group":"g","priority":"high"}}"#, .malformed, "priority"),
        ])
    func refusals(json: String, reason: RefusalReason, words: String) throws {
        let refusal = try #require(throws: Refusal.self) { try PopupCommand(json: json.utf8) }
        #expect(refusal.reason == reason && refusal.detail.contains(words), "\(refusal)")
    }

    @Test("a command of JSON may have further fields of the program, and says nothing of a query")
    func otherFields() throws {
        let command = try PopupCommand(json: #"{"at":5,"advance":{"group":"g"}}"#.utf8, besides: ["at"])
        #expect(command.advance?.group == "g")
        let query = try PopupCommand(json: #"{"query":{"client":"c","nonce":"1","stats":{}}}"#.utf8)
        #expect(query.command == nil)
        #expect(String(decoding: query.json, as: UTF8.self).contains("stats"))
    }
}
