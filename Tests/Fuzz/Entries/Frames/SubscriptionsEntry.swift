import PopupProtocol

/// Subscriptions into the broker's core, as lines; each line is also read as a topic, a pattern and a name.
enum SubscriptionsEntry {
    static func run(_ input: [UInt8]) throws -> Bool {
        for line in input.split(separator: UInt8(ascii: "\n")).prefix(64) {
            try check(String(decoding: line.dropFirst(), as: UTF8.self))
        }
        return try FramesEntry.run(lines: input).isAccepted
    }

    /// What can be read is written as it was.
    private static func check(_ text: String) throws {
        if let topic = Topic(text), Topic(topic.text) != topic {
            throw Finding("the topic `\(text)` is read as another")
        }
        if let name = GroupName(text), name.text != text { throw Finding("the group `\(text)` is another") }
        if let pattern = GroupPattern(text) {
            guard pattern.text == text else { throw Finding("the pattern `\(text)` is another") }
            if let name = GroupName(text), !pattern.matches(name) { throw Finding("`\(text)` does not match itself") }
        }
        if let name = ProducerName(text), name.description != text.lowercased() {
            throw Finding("the producer `\(text)` is another")
        }
    }
}
