@_spi(Wire) import PopupClient
import PopupProtocol
import TerminalText

/// Values as the JSON of the protocol for scripts, one per line: numbers are numbers, and zeros and empty lists are
/// there. What a terminal would obey is escaped.
enum JSON {
    static func line(_ state: GroupState) throws -> String { try text(ScriptJSON.encode(state.state.wire)) }
    static func line(_ event: PopupEvent) throws -> String { try text(ScriptJSON.encode(event.wire)) }
    static func line(_ result: PopupExplanation) throws -> String { try text(ScriptJSON.encode(result.wire)) }
    static func line(_ result: PopupList) throws -> String { try text(ScriptJSON.encode(result.wire)) }
    static func line(_ result: GroupQueue) throws -> String { try text(ScriptJSON.encode(result.wire)) }
    static func line(_ result: PagePath) throws -> String { try text(ScriptJSON.encode(result.wire)) }
    static func line(_ result: BrokerStatistics) throws -> String { try text(ScriptJSON.encode(result.wire)) }
    static func line(_ result: PolicyInForce) throws -> String { try text(ScriptJSON.encode(result.wire)) }
    static func line(_ result: BrokerIdentity) throws -> String { try text(ScriptJSON.encode(result.wire)) }
    static func line(_ popup: ClosedPopup) throws -> String { try text(ScriptJSON.encode(popup.wire)) }
    static func line(_ counts: GroupCounts) throws -> String { try text(ScriptJSON.encode(counts.wire)) }
    static func line(_ suspension: PopupSuspension) throws -> String { try text(ScriptJSON.encode(suspension.wire)) }
    static func line(_ renderer: RendererSummary) throws -> String { try text(ScriptJSON.encode(renderer.wire)) }
    static func line(_ producer: ProducerSequences) throws -> String { try text(ScriptJSON.encode(producer.wire)) }

    /// Returns a report of `popupctl` itself, with its members in alphabetical order.
    static func line(report: Report) -> String { report.json.json.jsonWithoutInvisibles }

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).jsonWithoutInvisibles
    }
}
