/// A signal to the reader of a box that something has arrived, or that nothing will arrive any more.
struct Signal: Sendable {
    let rings: AsyncThrowingStream<Void, any Error>
    private let rope: AsyncThrowingStream<Void, any Error>.Continuation

    init() {
        (rings, rope) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func ring() {
        rope.yield()
    }

    func finish(_ error: ClientError?) {
        rope.finish(throwing: error)
    }
}
