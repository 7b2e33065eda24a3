import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("JSON for scripts")
struct ScriptJSONTests {
    @Test("has 64-bit integers as numbers, zeros, and empty texts and lists")
    func defaults() throws {
        #expect(
            try String(decoding: ScriptJSON.encode(WireListResult()), as: UTF8.self)
                == #"{"popups":[],"truncated":false}"#)
        var event = WireEvent()
        event.time = 7
        event.group = "g"
        event.closed.reason = .timedOut
        let json = try String(decoding: ScriptJSON.encode(event), as: UTF8.self)
        #expect(json.contains(#""time":7,"#))
        #expect(json.contains(#""popup":"""#))
        #expect(json.contains(#""closed":{"reason":"TIMED_OUT","action":"","displayedMs":0"#))
        // Absent fields of a oneof stay absent.
        #expect(!json.contains("shown"))
    }

    @Test("keeps lists of messages and texts, and escapes")
    func lists() throws {
        var result = WireListResult()
        result.popups = [WirePopupSummary(), WirePopupSummary()]
        result.popups[1].title = "a \"b\"\n"
        result.popups[1].remainingMs = 0
        let json = try ScriptJSON.encode(result)
        #expect(try WireEncoding.json.decode(json, as: WireListResult.self) == result)
        #expect(String(decoding: json, as: UTF8.self).contains(#""title":"a \"b\"\n""#))
        var path = WirePathResult()
        path.values = ["x,y", "]"]
        #expect(
            try String(decoding: ScriptJSON.encode(path), as: UTF8.self) == #"{"values":["x,y","]"],"joined":""}"#)
    }

    @Test("is read as the message that it was")
    func roundTrip() throws {
        var state = WireGroupState()
        state.epoch = .max
        state.active.id = "A"
        state.active.priority = -3
        state.active.actions = [.with { $0.id = "ok" }]
        state.active.presentation.title = "T"
        state.active.remainingMs = 5
        #expect(try WireEncoding.json.decode(ScriptJSON.encode(state), as: WireGroupState.self) == state)
        #expect(try WireEncoding.json.decode(ScriptJSON.encode(WireStatsResult()), as: WireStatsResult.self) == .init())
    }
}

@Suite("The excerpt of a popup")
struct PopupExcerptTests {
    private func excerpt(_ popup: WirePopup) throws -> PopupExcerpt {
        let bytes: [UInt8] = try popup.serializedBytes()
        return PopupExcerpt(popup: bytes.span)
    }

    @Test("has its title and text, whether it is read in bytes or in a message")
    func short() throws {
        let popup = WirePopup.with {
            $0.id = "A"
            $0.group = "g"
            $0.durationMs = 5
            $0.text = "Grüße"
            $0.presentation.scene = .topBar
            $0.presentation.title = "Title"
        }
        let excerpt = try excerpt(popup)
        #expect((excerpt.title, excerpt.text) == ("Title", "Grüße"))
        #expect(excerpt == PopupExcerpt(popup))
    }

    @Test("ends with an ellipsis, between characters, where the text is longer than 120 bytes")
    func long() throws {
        let popup = WirePopup.with {
            $0.text = "x" + String(repeating: "ü", count: 60)
            $0.presentation.title = String(repeating: "t", count: 120)
        }
        let excerpt = try excerpt(popup)
        #expect(excerpt.text == "x" + String(repeating: "ü", count: 58) + "…")
        #expect(excerpt.title == popup.presentation.title)
        #expect(excerpt == PopupExcerpt(popup))
    }

    @Test("and the user are all that a shortened popup has")
    func shortened() throws {
        for title in ["", "Title", String(repeating: "ü", count: 300)] {
            for text in ["", "Grüße", String(repeating: "€", count: 40_000)] {
                let popup = WirePopup.with {
                    $0.id = "A"
                    $0.text = text
                    $0.actions = (0..<32).map { number in .with { $0.id = "a\(number)" } }
                    $0.presentation.title = title
                    $0.attempt = 3
                    $0.by = "ann"
                }
                let bytes: [UInt8] = try popup.serializedBytes()
                let shortened = PopupExcerpt.shortened(popup: bytes.span)
                #expect(shortened.count < 400)
                #expect(PopupExcerpt(popup: shortened.span) == PopupExcerpt(popup))
                #expect(CommandUser.name(inPopup: shortened.span) == "ann")
                #expect(try WirePopup(serializedBytes: shortened).id == "")
            }
        }
    }

    @Test("is empty for bytes, and for what is not a popup")
    func none() throws {
        #expect(try excerpt(.with { $0.data = .init([1, 2]) }).text == "")
        for bytes: [UInt8] in [[0xFF, 0xFF, 0x01], [0x5A, 0x05], []] {
            let excerpt = PopupExcerpt(popup: bytes.span)
            #expect(excerpt.text == "")
        }
    }
}
