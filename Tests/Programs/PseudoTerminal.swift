package import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A terminal with a program on it, and the test in the user's place.
package final class PseudoTerminal: Sendable {
    private let primary: CInt
    private let secondary: CInt
    private let process: SpawnedProcess
    private let written = Mutex("")
    private let ended: Task<Int32, Never>

    /// Starts the program.
    ///
    /// - Parameter environment: Besides that of the tests, on a terminal of its own (`TERM`).
    /// - Throws: `POSIXError` when there is no terminal left, `SystemError` when the system can't start the program.
    package init(
        _ executable: URL, _ arguments: [String], environment: [String: String], columns: UInt16, rows: UInt16
    ) throws {
        guard let (primary, name) = Self.open() else { throw POSIXError(.ENXIO) }
        self.primary = primary
        // Kept open: the attributes that the program leaves behind are read from it.
        secondary = Self.open(name)
        guard secondary >= 0 else { throw POSIXError(.ENXIO) }
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
        process = try spawn(
            executable.path, arguments,
            environment: ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
                .merging(environment) { $1 },
            streams: (secondary, secondary, secondary))
        ended = process.end
    }

    deinit {
        process.signal(SIGKILL)
        close(primary)
        close(secondary)
    }

    /// Whether what is typed is echoed and comes by the line, as a shell leaves it.
    package var isCooked: Bool {
        var attributes = termios()
        tcgetattr(secondary, &attributes)
        return attributes.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    package func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
        // It isn't the program's controlling terminal, which would send it.
        process.signal(SIGWINCH)
    }

    package func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(primary, bytes, bytes.count)
    }

    /// Waits until the program has written a text since the last call, and forgets what stands before its end.
    package func wait(for text: String) async throws {
        try await read { screen in
            guard let range = screen.range(of: text) else { return false }
            screen.removeSubrange(..<range.upperBound)
            return true
        }
    }

    /// Waits until what the program has written since the last call, all of it, is as wanted; returns and forgets it.
    @discardableResult
    package func wait(until isWanted: (String) -> Bool) async throws -> String {
        var found = ""
        try await read { screen in
            guard isWanted(screen) else { return false }
            swap(&found, &screen)
            return true
        }
        return found
    }

    package func terminate() {
        process.signal(SIGTERM)
    }

    /// Waits for the end of the program.
    package func exitCode() async -> Int32 { await ended.value }

    /// What the program has written and nobody has waited for.
    package func rest() -> String {
        drain()
        return written.withLock { $0 }
    }

    #if canImport(Darwin)
        private static func open() -> (CInt, String)? {
            let primary = posix_openpt(O_RDWR | O_NOCTTY)
            guard primary >= 0, grantpt(primary) == 0, unlockpt(primary) == 0, let name = ptsname(primary) else {
                return nil
            }
            return (primary, String(cString: name))
        }
    #else
        /// As `posix_openpt`, `unlockpt` and `ptsname` do, which Glibc's module doesn't have.
        private static func open() -> (CInt, String)? {
            let primary = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var (unlocked, number): (CInt, CUnsignedInt) = (0, 0)
            let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
            guard primary >= 0, ioctl(primary, setLock, &unlocked) == 0, ioctl(primary, getNumber, &number) == 0 else {
                return nil
            }
            return (primary, "/dev/pts/\(number)")
        }
    #endif

    private static func open(_ name: String) -> CInt {
        #if canImport(Darwin)
            Darwin.open(name, O_RDWR | O_NOCTTY)
        #else
            Glibc.open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        #endif
    }

    private struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    private func read(_ isDone: (inout String) -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            drain()
            if written.withLock({ isDone(&$0) }) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Missing(
            description: "the program has not written it; it has written: \(written.withLock { $0.debugDescription })")
    }

    private func drain() {
        var file = pollfd(fd: primary, events: Int16(POLLIN), revents: 0)
        while poll(&file, 1, 0) == 1, file.revents & Int16(POLLIN) != 0 {
            let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
                #if canImport(Darwin)
                    count = max(0, Darwin.read(primary, buffer.baseAddress, buffer.count))
                #else
                    count = max(0, Glibc.read(primary, buffer.baseAddress, buffer.count))
                #endif
            }
            if bytes.isEmpty { return }
            written.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
    }
}
