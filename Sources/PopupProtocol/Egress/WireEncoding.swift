public import SwiftProtobuf

/// The two encodings of the schema.
public enum WireEncoding: Sendable, CaseIterable {
    /// Protocol Buffers.
    case binary
    /// Proto3 JSON: lowerCamelCase names, 64-bit integers as strings, enum values by name, defaults left out.
    case json

    /// Returns the body of a message.
    ///
    /// - Throws: An encoding error. The messages of this schema cause none.
    public func encode(_ message: some Message) throws -> [UInt8] {
        switch self {
        case .binary: try message.serializedBytes()
        case .json: try WireJSON.encode(message)
        }
    }

    /// Returns the message in a body. Skips unknown fields.
    ///
    /// - Throws: A decoding error of swift-protobuf, or `JSONFault`, if the body is not such a message.
    public func decode<Body: Message>(_ body: [UInt8], as type: Body.Type = Body.self) throws -> Body {
        switch self {
        case .binary: try Body(serializedBytes: body)
        case .json: try WireJSON.decode(body)
        }
    }
}
