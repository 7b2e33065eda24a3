/// Messages that are sent together, one right after the other.
///
/// Sent singly, with a command's work between them, each wakes libzmq's thread, which writes that one to the network
/// and sleeps again: the wake-ups cost more than the messages. Behind one another it finds many at once.
struct SendBatch: ~Copyable {
    /// As many as make the wake-up cheap, and few beside a subscriber's queue.
    static let mostMessages = 64
    /// In bytes: a larger body is worth a wake-up of its own, and not worth a copy more.
    static let largestBody = 4096

    private var bytes: [UInt8] = []
    /// Where the messages end, and where their topics do; `nil` for a message of one frame.
    private var ends: [(topic: Int?, message: Int)] = []

    init() {
        ends.reserveCapacity(Self.mostMessages)
    }

    var isEmpty: Bool { ends.isEmpty }

    /// No more fits.
    var isFull: Bool { ends.count >= Self.mostMessages }

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

    /// Hands over each message in order, and forgets them all, also those after one at which a function throws.
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
