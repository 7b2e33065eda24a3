import PopupClient
import PopupProtocol

/// The protocol's messages as JSON, one a line.
enum JSON {
    static func line(_ screen: GroupState) throws -> String { try text(WireEncoding.json.encode(screen.state)) }
    static func line(_ event: PopupEvent) throws -> String { try text(WireEncoding.json.encode(event)) }
    static func line(_ result: PopupExplanation) throws -> String { try text(WireEncoding.json.encode(result)) }
    static func line(_ result: WireListResult) throws -> String { try text(WireEncoding.json.encode(result)) }
    static func line(_ result: WirePeekResult) throws -> String { try text(WireEncoding.json.encode(result)) }
    static func line(_ result: PagePath) throws -> String { try text(WireEncoding.json.encode(result)) }
    static func line(_ result: WireCountResult) throws -> String { try text(WireEncoding.json.encode(result)) }
    static func line(_ result: BrokerStatistics) throws -> String { try text(WireEncoding.json.encode(result)) }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
