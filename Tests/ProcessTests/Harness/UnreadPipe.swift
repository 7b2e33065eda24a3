import Glibc
import TestPrograms

/// A pipe that is full, and that nobody reads until a test does.
final class UnreadPipe {
    let writeEnd: Int32
    private let readEnd: Int32
    /// In bytes: what is left of that with which it was filled.
    private var filler: Int
    private var isReadEndOpen = true

    init() throws {
        let pipe = try ProgramPipe()
        (readEnd, writeEnd) = (pipe.readEnd, pipe.writeEnd)
        // Both ends of a program's descriptor have this flag: it is taken away again.
        let flags = fcntl(writeEnd, F_GETFL)
        _ = fcntl(writeEnd, F_SETFL, flags | O_NONBLOCK)
        var count = 0
        let line = [UInt8]("filler\n".utf8)
        while true {
            let written = write(writeEnd, line, line.count)
            guard written > 0 else { break }
            count += written
        }
        filler = count
        _ = fcntl(writeEnd, F_SETFL, flags)
    }

    deinit {
        close(writeEnd)
        closeReadEnd()
    }

    /// Closes the end that is read: who writes is told that nobody reads any more.
    func closeReadEnd() {
        guard isReadEndOpen else { return }
        isReadEndOpen = false
        close(readEnd)
    }

    /// Reads what comes, beyond that with which it was filled, until the text allows an answer.
    @discardableResult
    func read<Answer>(
        for purpose: String, before deadline: Deadline = .standard, _ answer: (String) -> Answer?
    ) throws -> Answer {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !deadline.isOver {
            var item = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, Int32(clamping: deadline.milliseconds)) > 0 else { continue }
            let count = Glibc.read(readEnd, &buffer, buffer.count)
            guard count > 0 else { break }
            let own = min(filler, count)
            filler -= own
            bytes += buffer[own..<count]
            if let found = answer(String(decoding: bytes, as: UTF8.self)) { return found }
        }
        let text = String(decoding: bytes.suffix(2000), as: UTF8.self)
        throw NotInTime(description: "waited in vain for \(purpose); the pipe had at last:\n\(text)")
    }
}
