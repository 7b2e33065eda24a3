import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("Bodies")
struct WireEncodingTests {
    static let state = WireGroupState.with {
        $0.epoch = 3
        $0.group = "lobby"
        $0.revision = 12
        $0.active = .with {
            $0.id = "A"
            $0.group = "lobby"
            $0.text = "Hello"
            $0.remainingMs = 0
            $0.attempt = 1
            $0.sinceRevision = 11
        }
        $0.cause = .with {
            $0.kind = .closed
            $0.popup = "B"
            $0.reason = .timedOut
        }
    }

    @Test("are read as they were written, in both encodings", arguments: WireEncoding.allCases)
    func roundTrip(encoding: WireEncoding) throws {
        #expect(try encoding.decode(encoding.encode(Self.state)) == Self.state)
    }

    @Test("have the names and types of proto3 JSON")
    func json() throws {
        let body = try WireEncoding.json.encode(Self.state)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"epoch":"3","group":"lobby","revision":"12","active":{"id":"A","group":"lobby","text":"Hello","remainingMs":0,"#
                + #""attempt":1,"sinceRevision":"11"},"cause":{"kind":"CLOSED","popup":"B","reason":"TIMED_OUT"}}"#)
    }

    @Test("of a later version are read as far as they are known")
    func unknownFields() throws {
        let body = Array(#"{"epoch":"3","mood":{"x":[1]},"group":"g"}"#.utf8)
        let state = try WireEncoding.json.decode(body, as: WireGroupState.self)
        #expect(
            state
                == .with {
                    $0.epoch = 3; $0.group = "g"
                })
    }

    /// The body of a state is the received popup with fields appended: its fields must not be these already.
    @Test("carry a popup whose appended fields follow those of a request")
    func appendedFields() throws {
        let request = WirePopup.with {
            $0.id = "A"; $0.group = "g"; $0.capKey = "k"
        }
        let appended = WirePopup.with {
            $0.remainingMs = 500; $0.attempt = 2; $0.sinceRevision = 9
        }
        let whole = try WirePopup(serializedBytes: request.serializedBytes() as [UInt8] + appended.serializedBytes())
        #expect(
            whole
                == .with {
                    $0.id = "A"; $0.group = "g"; $0.capKey = "k"
                    $0.remainingMs = 500; $0.attempt = 2; $0.sinceRevision = 9
                })
    }
}
