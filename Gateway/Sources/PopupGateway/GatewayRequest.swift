/// A request, as the routes read it.
public struct GatewayRequest: Sendable {
    /// The method in capitals.
    public var method: String
    /// The path, percent-encoded as it was sent.
    public var path: String
    /// The items of the query, decoded, in their order.
    public var query: QueryItems
    /// The headers, by name in lower case.
    public var headers: [String: String]
    /// The body.
    public var body: [UInt8]
    /// The address of the client; `nil`: this machine, or unknown.
    public var address: ClientAddress?
    /// Whether the client has sent it over TLS, to a trusted proxy.
    public var isSecure: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - method: The method in capitals.
    ///   - target: The path and the query, as they were sent.
    ///   - headers: The headers, by name in lower case.
    ///   - body: The body.
    ///   - address: The address of the client; `nil`: this machine, or unknown.
    ///   - isSecure: Whether the client has sent it over TLS, to a trusted proxy.
    public init(
        _ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = [],
        address: ClientAddress? = nil, isSecure: Bool = false
    ) {
        self.address = address
        self.isSecure = isSecure
        self.method = method
        self.headers = headers
        self.body = body
        let mark = target.firstIndex(of: "?") ?? target.endIndex
        path = String(target[..<mark])
        query = QueryItems(target[mark...].dropFirst())
    }

    /// The methods that change nothing.
    static let readingMethods = ["GET", "HEAD"]

    /// Whether the client has a version of what it asks for, as `If-None-Match` says: a list of tags, or `*` for any.
    func hasTag(_ tag: String) -> Bool {
        let tags = (headers["if-none-match"] ?? "").split { $0 == "," || $0.isWhitespace }
        let opaque = { (tag: Substring) in tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
        return tags.contains { $0 == "*" || opaque($0) == opaque(tag[...]) }
    }

    /// The size of the body in bytes, as the headers announce it: one that comes in chunks may have any.
    public var announcedBytes: Int {
        guard let length = headers["content-length"] else { return headers["transfer-encoding"] == nil ? 0 : .max }
        return Int(length) ?? .max
    }

    /// Whether its answer is a stream, unless it is refused.
    public var isForStream: Bool {
        // All streams are GETs: no other request looks for its route once more.
        method == "GET" && (try? Route(method: method, path: path))?.isStream == true
    }

    /// Whether its answer may take longer than that of the broker to one command: it ends when its client leaves.
    public var mayTakeLong: Bool {
        query["wait"] != nil || path == "/v1/commands" || path.hasPrefix("/v1/hooks/")
    }
}

/// The items of a query.
public struct QueryItems: Sendable {
    private let items: [(name: String, value: String)]

    /// Creates the items of an encoded query.
    public init(_ text: some StringProtocol) {
        items = text.split(separator: "&").map { item in
            let mark = item.firstIndex(of: "=") ?? item.endIndex
            let decode = { (part: String) in percentDecoded(part.replacing("+", with: " ")) ?? part }
            return (decode(String(item[..<mark])), decode(String(item[mark...].dropFirst())))
        }
    }

    /// Returns the first value of a name.
    public subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// Returns all values of a name.
    public func all(_ name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    /// The names that occur.
    public var names: [String] { items.map(\.name) }
}

/// Returns a text without its percent-encoding; `nil` if that is not valid, or not UTF-8.
func percentDecoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard let high = rest.next(), let low = rest.next(), high < 128, low < 128,
            let high = Character(UnicodeScalar(high)).hexDigitValue,
            let low = Character(UnicodeScalar(low)).hexDigitValue
        else { return nil }
        bytes.append(UInt8(high * 16 + low))
    }
    return String(validating: bytes, as: UTF8.self)
}

/// A response.
public struct GatewayResponse: Sendable {
    /// The status of HTTP.
    public var status: Int
    /// The headers.
    public var headers: [String: String]
    /// The cookies that it sets, each with its attributes.
    public var cookies: [String] = []
    /// The body.
    public var body: Body

    /// A body.
    public enum Body: Sendable {
        /// A whole body.
        case bytes([UInt8])
        /// A stream of states or events.
        case stream(ResponseStream)
    }

    /// Creates a response of JSON.
    public init(status: Int = 200, json: [UInt8]) {
        self.status = status
        headers = [
            "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
        ]
        body = .bytes(json)
    }

    /// The bytes of the body; none of a stream.
    public var bytes: [UInt8] {
        if case .bytes(let bytes) = body { bytes } else { [] }
    }
}
