import Dispatch
public import Logging
import Synchronization
import SystemCalls

/// A file of recorded commands, written on a thread of its own, so that the broker never waits for the disk.
///
/// The recording ends permanently, with one log line, if the file is full, if it cannot be written, or if the disk is
/// so slow that too much data waits. A recording with gaps would show a course of events that never happened.
public final class RecordingFile: Sendable {
    /// The maximum number of bytes that wait to be written. Beyond it the recording ends.
    public static let maxWaiting = 64 << 20
    /// The size of a write in bytes.
    private static let bufferSize = 65_536

    private struct State {
        /// The open file; `nil` after `close`.
        var descriptor: Int32?
        var written = 0
    }

    /// The path of the file.
    public let path: String
    private let maximumBytes: Int
    private let logger: Logger
    private let queue = DispatchQueue(label: "popup-broker.recording")
    private let waiting = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let state: Mutex<State>

    /// Creates the file. Only its owner can read it, since popups may be confidential.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - maximumBytes: The maximum size of the file: the setting `recording.maximumBytes`.
    ///   - logger: Receives the reason for which the recording ends.
    /// - Throws: `RecordingError` if the file cannot be created or exists already: recordings are never overwritten.
    public init(path: String, maximumBytes: Int, logger: Logger) throws(RecordingError) {
        self.path = path
        self.maximumBytes = maximumBytes
        self.logger = logger
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw RecordingError(path: path, code: errno) }
        state = Mutex(State(descriptor: descriptor))
    }

    deinit {
        // Waiting batches hold a reference to the file, so there are none.
        state.withLock { state in
            if let descriptor = state.descriptor { _ = SystemCalls.close(descriptor) }
        }
    }

    /// Writes the waiting batches and closes the file. Later batches are not recorded.
    public func close() {
        queue.sync {
            state.withLock { state in
                isOver.store(true, ordering: .relaxed)
                if let descriptor = state.descriptor.take() { SystemCalls.close(descriptor) }
            }
        }
    }

    /// Adds a batch to those that wait to be written. Returns at once.
    func append(_ batch: RecordedBatch) {
        guard !batch.isEmpty, !isOver.load(ordering: .relaxed) else { return }
        let size = batch.size
        guard waiting.add(size, ordering: .relaxed).newValue <= Self.maxWaiting else {
            return end("the disk is too slow for it")
        }
        queue.async { [self] in
            if !isOver.load(ordering: .relaxed) { write(batch) }
            waiting.subtract(size, ordering: .relaxed)
        }
    }

    private func write(_ batch: RecordedBatch) {
        var buffer: [UInt8] = []
        var isFull = false
        batch.forEachLine { line in
            guard !isFull, !isOver.load(ordering: .relaxed) else { return }
            isFull = state.withLock { $0.written + buffer.count + line.utf8.count + 1 > maximumBytes }
            guard !isFull else { return }
            buffer += line.utf8
            buffer.append(UInt8(ascii: "\n"))
            if buffer.count >= Self.bufferSize {
                flush(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
        }
        flush(buffer)
        if isFull { end("it has as many bytes as `recording.maximumBytes` allows, \(maximumBytes)") }
    }

    /// Writes whole lines. Removes a partly written line after an error.
    private func flush(_ bytes: [UInt8]) {
        let failure: Int32? = state.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            var position = 0
            while position < bytes.count {
                let count = bytes.withUnsafeBytes { buffer in
                    SystemCalls.write(descriptor, buffer.baseAddress! + position, bytes.count - position)
                }
                if count < 0, errno == EINTR { continue }
                if count < 0 {
                    let code = errno
                    _ = ftruncate(descriptor, state.written)
                    return code
                }
                position += count
            }
            state.written += position
            return nil
        }
        if let failure { end("it cannot be written: \(String(cString: strerror(failure)))") }
    }

    private func end(_ why: String) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        logger.error("the recording ends here; the broker goes on", metadata: ["file": "\(path)", "why": "\(why)"])
    }
}

/// The error if a recording cannot begin.
public struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public var path: String
    /// The error code of the system.
    public var code: Int32

    /// The error in a sentence, with advice.
    public var description: String {
        code == EEXIST
            ? "\(path) is there already; move it away or record into another file"
            : "\(path) cannot be created: \(String(cString: strerror(code))); choose another place"
    }
}
