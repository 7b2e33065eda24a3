import PopupProtocol

/// Reading frames, with nothing behind it.
enum Decoding {
    static func run(_ count: Int) throws {
        var frames = try ShowFrames()
        let limits = WireLimits()
        var contentBytes = 0
        for _ in 0..<count {
            frames.advance()
            contentBytes += read(frames, limits)
        }
        guard contentBytes >= 200 * count else { throw WrongWork(description: "\(contentBytes) bytes were read") }
    }

    @inline(never)
    private static func read(_ frames: borrowing ShowFrames, _ limits: WireLimits) -> Int {
        let frame = Span<UInt8>(_unsafeElements: frames.bytes.bindMemory(to: UInt8.self))
        return ShowFrame.read(frame, limits: limits).map { Int($0.popup.count) } ?? 0
    }
}
