/// Messages that are sent in immediate succession.
///
/// A message that is sent alone wakes libzmq's thread, which writes it to the network and sleeps again. These wake-ups
/// cost more than the messages. In a batch, the thread finds many messages at once.
struct SendBatch: ~Copyable {
    /// The maximum number of messages: enough to make the wake-up cheap, and few in relation to a subscriber's queue.
    static let maxMessages = 64
    /// The maximum size of a body in bytes. For a larger one a wake-up costs less than another copy.
    static let largestBody = 4096

    private var bytes: [UInt8] = []
    /// The ends of the messages, and those of their topics; `nil` for a message of one frame.
    private var ends: [(topic: Int?, message: Int)] = []

    init() {
        ends.reserveCapacity(Self.maxMessages)
    }

    var isEmpty: Bool { ends.isEmpty }

    /// Whether the batch is full.
    var isFull: Bool { ends.count >= Self.maxMessages }

    /// Adds a message.
    mutating func append(topic: RawSpan, body: RawSpan) {
        topic.withUnsafeBytes { bytes.append(contentsOf: $0) }
        let topicEnd = bytes.count
        body.withUnsafeBytes { bytes.append(contentsOf: $0) }
        ends.append((topicEnd, bytes.count))
    }

    /// Adds a message of one frame.
    mutating func append(frame: RawSpan) {
        frame.withUnsafeBytes { bytes.append(contentsOf: $0) }
        ends.append((nil, bytes.count))
    }

    /// Calls a function with each message in order, and removes all messages, even if a function throws.
    mutating func takeAll<Failure: Error>(
        _ send: (_ topic: RawSpan, _ body: RawSpan) throws(Failure) -> Void,
        frame sendFrame: (_ frame: RawSpan) throws(Failure) -> Void
    ) throws(Failure) {
        defer {
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
        }
        var start = 0
        let all = bytes.span.bytes
        for end in ends {
            if let topicEnd = end.topic {
                try send(all.extracting(start..<topicEnd), all.extracting(topicEnd..<end.message))
            } else {
                try sendFrame(all.extracting(start..<end.message))
            }
            start = end.message
        }
    }
}
