import Testing

@testable import ZeroMQTransport

@Suite("Messages that are sent together")
struct SendBatchTests {
    private struct Failure: Error {}

    private func append(_ topic: String, _ body: String, to batch: inout SendBatch) {
        batch.append(topic: Array(topic.utf8).span.bytes, body: Array(body.utf8).span.bytes)
    }

    private func text(_ bytes: RawSpan) -> String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    @Test("are at most 64, leave in their order, and are forgotten")
    func order() {
        var batch = SendBatch()
        for number in 0..<64 {
            let isFull = batch.isFull
            #expect(!isFull)
            if number.isMultiple(of: 7) {
                batch.append(frame: Array("frame \(number)".utf8).span.bytes)
            } else {
                append("t/\(number)", number == 5 ? "" : "body \(number)", to: &batch)
            }
        }
        let isFull = batch.isFull
        #expect(isFull)
        var sent: [String] = []
        batch.takeAll {
            sent.append("\(text($0)) \(text($1))")
        } frame: {
            sent.append(text($0))
        }
        #expect(
            sent
                == (0..<64).map {
                    $0.isMultiple(of: 7) ? "frame \($0)" : $0 == 5 ? "t/5 " : "t/\($0) body \($0)"
                })
        let isEmpty = batch.isEmpty
        #expect(isEmpty)
    }

    @Test("are forgotten also when one cannot be sent")
    func failure() {
        var batch = SendBatch()
        for topic in ["a", "b", "c"] { append(topic, "", to: &batch) }
        var sent: [String] = []
        #expect(throws: Failure.self) {
            try batch.takeAll { (topic, _) throws(Failure) in
                if text(topic) == "b" { throw Failure() }
                sent.append(text(topic))
            } frame: { (_) throws(Failure) in
            }
        }
        #expect(sent == ["a"])
        let isEmpty = batch.isEmpty
        #expect(isEmpty)
    }
}
