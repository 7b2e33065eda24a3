/// The open streams of one kind of values.
struct Streams<Element: Sendable>: Sendable {
    private var open: [(number: Int, continuation: AsyncStream<Element>.Continuation)] = []
    private var last = 0

    var isEmpty: Bool { open.isEmpty }

    /// Opens a stream that keeps the newest values for its reader.
    ///
    /// - Parameters:
    ///   - limit: The number of values that it keeps.
    ///   - first: A value that it begins with.
    ///   - onEnd: Called with the stream's number when it has ended, to remove it.
    mutating func open(
        keeping limit: Int, first: Element? = nil, onEnd: @escaping @Sendable (Int) async -> Void
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        last += 1
        let number = last
        if let first { continuation.yield(first) }
        // One that is finished is removed by who finishes it.
        continuation.onTermination = { end in
            if case .cancelled = end { Task { await onEnd(number) } }
        }
        open.append((number, continuation))
        return stream
    }

    mutating func remove(_ number: Int) { open.removeAll { $0.number == number } }

    func send(_ element: Element) {
        for stream in open { stream.continuation.yield(element) }
    }

    func finish() {
        for stream in open { stream.continuation.finish() }
    }
}
