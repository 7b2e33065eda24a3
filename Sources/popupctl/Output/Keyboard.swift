import Dispatch
import Foundation

/// The keys that a user presses in a view on the terminal.
enum Key: Equatable {
    case up, down, pageUp, pageDown, first, last
    /// The user wants to leave.
    case quit

    /// Returns the keys in what a terminal has sent; others are left out.
    static func keys(in bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = String(decoding: bytes, as: UTF8.self)[...]
        while !rest.isEmpty {
            if let (sequence, key) = sequences.first(where: { rest.hasPrefix($0.0) }) {
                keys.append(key)
                rest = rest.dropFirst(sequence.count)
            } else if let other = rest.prefixMatch(of: /\u{1B}\[[0-9;]*[@-~]/) {
                rest = rest[other.range.upperBound...]
            } else {
                rest = rest.dropFirst()
            }
        }
        return keys
    }

    private static let sequences: [(String, Key)] = [
        ("q", .quit), ("Q", .quit), ("\u{1B}[A", .up), ("k", .up), ("\u{1B}[B", .down), ("j", .down),
        ("\u{1B}[5~", .pageUp), ("b", .pageUp), ("\u{1B}[6~", .pageDown), (" ", .pageDown), ("\u{1B}[H", .first),
        ("g", .first), ("\u{1B}[F", .last), ("G", .last),
    ]
}

/// The keyboard of the terminal on the standard input. Keys come at once and are not shown; Ctrl-C stays a signal.
final class Keyboard {
    let keys: AsyncStream<Key>
    private var before: termios
    private let source: any DispatchSourceRead

    /// Takes the keyboard; `nil` if the standard input is not a terminal.
    init?() {
        var attributes = termios()
        guard tcgetattr(STDIN_FILENO, &attributes) == 0 else { return nil }
        before = attributes
        attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &attributes)
        let (keys, input) = AsyncStream<Key>.makeStream()
        self.keys = keys
        source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else { return input.finish() }
            for key in Key.keys(in: Array(bytes[..<count])) { input.yield(key) }
        }
        source.resume()
    }

    /// Gives the keyboard back.
    func close() {
        source.cancel()
        tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }
}
