/// The framing of a stream.
public enum StreamFormat: Sendable {
    /// Server-sent events.
    case events
    /// One JSON object per line, with `"event"` in addition to its fields.
    case lines

    /// The media type.
    public var contentType: String {
        switch self {
        case .events: "text/event-stream"
        case .lines: "application/x-ndjson"
        }
    }

    /// Returns the message of an event. The data is a JSON object on one line.
    func message(_ event: String, _ data: [UInt8], id: String? = nil) -> [UInt8] {
        switch self {
        case .events:
            return Array("\(id.map { "id: \($0)\n" } ?? "")event: \(event)\ndata: ".utf8) + data + Array("\n\n".utf8)
        case .lines:
            let isEmpty = data.count <= 2
            return Array("{\"event\":\"\(event)\"\(isEmpty ? "" : ",")".utf8) + data.dropFirst() + Array("\n".utf8)
        }
    }

    /// Returns the message of an event.
    func message(_ event: String, _ data: String) -> [UInt8] {
        message(event, Array(data.utf8))
    }

    /// Returns the line that tells the client when to reconnect.
    func retry(_ milliseconds: Int) -> [UInt8] {
        switch self {
        case .events: Array("retry: \(milliseconds)\n\n".utf8)
        case .lines: Array("{\"event\":\"retry\",\"retryMs\":\(milliseconds)}\n".utf8)
        }
    }
}
