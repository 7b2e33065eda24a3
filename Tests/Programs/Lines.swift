import Foundation
import Synchronization

/// The lines of a stream, in order, as they come.
package final class Lines: Sendable {
    /// The stream ended without the line that was waited for.
    package struct Ended: Error, CustomStringConvertible {
        package var description: String
    }

    private struct State {
        var unread: [String] = []
        var all: [String] = []
        var isAtEnd = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let name: String
    private let state = Mutex(State())

    /// Reads a file descriptor to its end, on a thread of its own, and closes it.
    init(_ descriptor: Int32, of name: String) {
        self.name = name
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        Thread { [self] in
            var pending: [UInt8] = []
            while true {
                let data = handle.availableData
                if data.isEmpty { break }
                pending += data
                while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                    add(String(decoding: pending[..<end], as: UTF8.self))
                    pending.removeSubrange(...end)
                }
            }
            if !pending.isEmpty { add(String(decoding: pending, as: UTF8.self)) }
            wake { $0.isAtEnd = true }
        }.start()
    }

    /// The next line for which `isWanted` holds; those before it are passed over.
    ///
    /// - Throws: `Ended` when there is none.
    package func next(_ isWanted: @Sendable (String) -> Bool = { _ in true }) async throws -> String {
        while true {
            let (line, isAtEnd, seen) = state.withLock { state in
                if let index = state.unread.firstIndex(where: isWanted) {
                    defer { state.unread.removeSubrange(...index) }
                    return (state.unread[index] as String?, false, 0)
                }
                return (nil, state.isAtEnd, state.all.count)
            }
            if let line { return line }
            if isAtEnd {
                throw Ended(description: "\(name) ended without the line; its lines: \(state.withLock(\.all))")
            }
            await more(than: seen)
        }
    }

    /// All lines to the end.
    package func all() async -> [String] {
        while true {
            let (lines, isAtEnd) = state.withLock { ($0.all, $0.isAtEnd) }
            if isAtEnd { return lines }
            await more(than: lines.count)
        }
    }

    private func more(than seen: Int) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                // More may have come since the caller looked.
                if state.isAtEnd || state.all.count > seen { return true }
                state.waiter = continuation
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    private func add(_ line: String) {
        wake { state in
            state.unread.append(line)
            state.all.append(line)
        }
    }

    private func wake(_ change: (inout sending State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
