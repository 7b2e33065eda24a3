public import SwiftProtobuf

/// The two encodings of the schema.
public enum WireEncoding: Sendable, CaseIterable {
    /// Protocol Buffers.
    case binary
    /// Proto3 JSON: lowerCamelCase names, 64-bit integers as strings, enum values by name, defaults left out.
    case json

    /// A message of the broker as a body.
    ///
    /// - Throws: An encoding error; the messages of this schema have no cause for one.
    public func encode(_ message: some Message) throws -> [UInt8] {
        switch self {
        case .binary: try message.serializedBytes()
        case .json: try WireJSON.encode(message)
        }
    }

    /// The message that a body of the broker holds. What this version doesn't know is skipped.
    ///
    /// - Throws: A decoding error of swift-protobuf, or `JSONFault`, when the body holds no such message.
    public func decode<Body: Message>(_ body: [UInt8], as type: Body.Type = Body.self) throws -> Body {
        switch self {
        case .binary: try Body(serializedBytes: body)
        case .json: try WireJSON.decode(body)
        }
    }
}
