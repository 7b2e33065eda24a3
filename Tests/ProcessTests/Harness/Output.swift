import Foundation
import Glibc
import TestPrograms

/// What a program writes, read by a thread until its end, and how it ended.
final class Output: Sendable {
    /// Which of its streams.
    enum Stream: Int {
        case standard
        case error
    }

    private struct State {
        var bytes: [[UInt8]] = [[], []]
        var exit: ChildProcess.Exit?
    }

    private let process: SpawnedProcess
    /// The id of the process; good until its end is waited for.
    var id: Int32 { process.id }
    // Guards `state`, and wakes those who wait for it to change.
    private let changed = NSCondition()
    nonisolated(unsafe) private var state = State()
    private let onLine: (@Sendable (String) -> Void)?

    /// - Parameters:
    ///   - streams: Its standard output and error.
    ///   - onLine: Is told each line of the standard output as it comes, on the thread that reads it.
    init(of process: SpawnedProcess, streams: [Int32], onLine: (@Sendable (String) -> Void)? = nil) {
        self.process = process
        self.onLine = onLine
        Thread.detachNewThread { [self] in
            read(streams)
            let exit = process.waitForEnd()
            change { $0.exit = exit }
        }
    }

    private func read(_ streams: [Int32]) {
        var items = streams.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var line: [UInt8] = []
        while items.contains(where: { $0.fd >= 0 }) {
            guard poll(&items, nfds_t(items.count), -1) >= 0 || errno == EINTR else { break }
            for index in items.indices where items[index].fd >= 0 && items[index].revents != 0 {
                let count = Glibc.read(items[index].fd, &buffer, buffer.count)
                if count > 0 {
                    change { $0.bytes[index] += buffer[..<count] }
                    if index == Stream.standard.rawValue { tell(buffer[..<count], after: &line) }
                } else if count == 0 {
                    close(items[index].fd)
                    items[index].fd = -1
                }
            }
        }
    }

    private func tell(_ bytes: ArraySlice<UInt8>, after rest: inout [UInt8]) {
        guard let onLine else { return }
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            onLine(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        changed.withLock { body(&state) }
        changed.broadcast()
    }

    /// Sends a signal, unless it has ended.
    func signal(_ number: Int32) {
        process.signal(number)
    }

    /// What it wrote so far.
    func text(_ stream: Stream) -> String {
        changed.withLock { String(decoding: state.bytes[stream.rawValue], as: UTF8.self) }
    }

    /// Waits until its output and end allow an answer; nil when the deadline comes first.
    func wait<Answer>(
        until deadline: Deadline, _ answer: (_ standard: String, _ error: String, ChildProcess.Exit?) -> Answer?
    ) -> Answer? {
        changed.withLock {
            while true {
                let texts = state.bytes.map { String(decoding: $0, as: UTF8.self) }
                if let answer = answer(texts[0], texts[1], state.exit) { return answer }
                let left = deadline.milliseconds
                guard left > 0 else { return nil }
                _ = changed.wait(until: Date(timeIntervalSinceNow: Double(left) / 1000))
            }
        }
    }
}
