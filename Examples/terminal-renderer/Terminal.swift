import ExampleSupport
import Synchronization
import SystemCalls

/// The terminal on stdin and stdout: in raw mode while a screen is drawn on it, and afterwards as before.
final class Terminal: Sendable {
    private struct Saved: @unchecked Sendable {
        var attributes: termios
    }

    private let saved = Mutex<Saved?>(nil)
    private let keyboard = OpenFile(descriptor: dup(STDIN_FILENO), name: "the keyboard")

    /// Creates the terminal; `nil` if stdout is not one, or if it does not understand sequences that move the cursor.
    init?(environment: [String: String]) {
        guard isatty(STDOUT_FILENO) == 1, !["", "dumb"].contains(environment["TERM", default: ""]) else { return nil }
    }

    /// The columns and rows; the usual ones if the terminal does not report them.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Switches to raw mode without echo, and to the alternate screen, which keeps the previous content.
    func enter() {
        saved.withLock { saved in
            guard saved == nil else { return }
            var attributes = termios()
            if tcgetattr(STDIN_FILENO, &attributes) == 0 {
                saved = Saved(attributes: attributes)
                cfmakeraw(&attributes)
                // Output keeps its carriage returns: other processes may write lines here, too.
                attributes.c_oflag |= tcflag_t(OPOST)
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes)
            }
            // The alternate screen, no cursor, no wrapping at the right edge, and reports of gained and lost focus.
            Output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1004h\u{1B}[2J", to: STDOUT_FILENO)
        }
    }

    /// Restores the terminal.
    func leave() {
        saved.withLock { saved in
            Output.write("\u{1B}[0m\u{1B}[?1004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l", to: STDOUT_FILENO)
            if var attributes = saved?.attributes { tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes) }
            saved = nil
        }
    }

    func write(_ text: String) {
        Output.write(text, to: STDOUT_FILENO)
    }

    /// Returns the next input; `nil` if there is no keyboard, or if the task was cancelled.
    func input() async -> [UInt8]? {
        var bytes = (try? await keyboard.read()) ?? []
        // A sequence may come in pieces. An escape alone is the key only if nothing follows.
        if bytes.last == 0x1B, Self.hasMore(within: 50) { bytes += (try? await keyboard.read()) ?? [] }
        return bytes.isEmpty ? nil : bytes
    }

    private static func hasMore(within milliseconds: Int32) -> Bool {
        var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, milliseconds) == 1
    }
}
