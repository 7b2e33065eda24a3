internal import PopupClient
internal import PopupProtocol

/// A popup whose text is the body and whose other fields are in the query: for `curl -d`.
struct PopupOfText {
    /// The popup.
    let popup: WirePopup

    /// The parameters of the query.
    static let parameters: Set = [
        "title", "priority", "duration", "ttl", "delay", "style", "scene", "id", "collapse", "action", "wait",
    ]

    /// Reads the popup from a request.
    ///
    /// - Throws: 415 for JSON, 400 for text that is not UTF-8, 422 for an item of the query that is not valid, and for a popup
    ///   that says nothing.
    init(_ request: GatewayRequest, group: String) throws(Problem) {
        // Any other type may be text: curl and the libraries of programs send types of their own choice.
        if let media = request.headers["content-type"], Self.isJSON(media) {
            throw Problem(
                415, "UNSUPPORTED_MEDIA_TYPE",
                "the body is `\(media)`, and would be shown as it is; send the text alone, or a Popup to /v1/popups")
        }
        guard let text = String(validating: request.body, as: UTF8.self) else {
            throw Problem(400, "MALFORMED", "the body is not UTF-8")
        }
        let query = request.query
        var popup = WirePopup()
        popup.group = group
        popup.text = text
        popup.id = query["id"] ?? ""
        popup.collapseKey = query["collapse"] ?? ""
        if let priority = query["priority"] {
            guard let number = Int32(priority) else {
                throw Problem(422, "INVALID", "`priority` is `\(priority)`; it must be a whole number")
            }
            popup.priority = number
        }
        popup.durationMs = try Self.time("duration", in: query)
        popup.ttlMs = try Self.time("ttl", in: query)
        popup.delayMs = try Self.time("delay", in: query)
        if let title = query["title"] { popup.presentation.title = title }
        if let style = query["style"] { popup.presentation.style = style }
        if let scene = query["scene"] {
            let name = scene.uppercased().replacing("-", with: "_")
            let json = "{\"scene\":\(JSONText.quoted(name))}"
            do throws(JSONFault) {
                popup.presentation.scene = try WireJSON.decode(
                    Array(json.utf8), as: WirePresentation.self, unknown: .refused
                ).scene
            } catch {
                throw Problem(422, "INVALID", "\(error)")
            }
        }
        popup.actions = query.all("action").map { text in
            let mark = text.firstIndex(of: ":") ?? text.endIndex
            var action = WireAction()
            action.id = String(text[..<mark])
            action.label = mark == text.endIndex ? text : String(text[mark...].dropFirst())
            return action
        }
        guard [text, popup.presentation.title].contains(where: { $0.contains { !$0.isWhitespace } }) else {
            throw Problem(422, "INVALID", "there is nothing to show; give a text in the body, or `title`")
        }
        self.popup = popup
    }

    /// Whether the type of a body is JSON, such as `application/json` or `application/problem+json`.
    private static func isJSON(_ media: String) -> Bool {
        let type = media.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        return type.hasSuffix("/json") || type.hasSuffix("+json")
    }

    private static func time(_ name: String, in query: QueryItems) throws(Problem) -> UInt32 {
        guard let text = query[name] else { return 0 }
        guard let milliseconds = TimeText.milliseconds(text) else { throw TimeText.problem(name, text) }
        return milliseconds
    }
}

/// The times that people write: `500ms`, `20s`, `2m`, `1h`.
enum TimeText {
    /// Returns the milliseconds of a time; `nil` for another text, and above `UInt32.max`.
    static func milliseconds(_ text: String) -> UInt32? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let factors: [Substring: UInt32] = ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000]
        guard let number = UInt32(digits), let factor = factors[text.dropFirst(digits.count)] else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
        return isTooLarge ? nil : product
    }

    /// Returns the problem of a text that is not a time.
    static func problem(_ name: String, _ text: String) -> Problem {
        Problem(422, "INVALID", "`\(name)` is `\(text)`; it must be a time such as 500ms, 20s, 2m or 1h")
    }
}
