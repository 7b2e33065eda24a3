import Glibc

/// Does the broker's steady work on one thread and without a socket.
///
///     hot-path PIECE COUNT    one piece of it so many times: for counting what it costs. What is counted for twice as
///                             many, less what is counted for so many, is the work's alone
///     hot-path scale          how time and memory grow from thousands to millions
@main
enum HotPath {
    /// So often a piece is done before what is counted: its tables have their size then.
    private static let warmUp = 25_600

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            if arguments.elementsEqual(["scale"]) {
                try Scale.run()
            } else if arguments.count == 2, let piece = Piece(rawValue: arguments[1]), let count = Int(arguments[2]) {
                try piece.run(warmUp + count)
            } else {
                let pieces = Piece.allCases.map(\.rawValue).joined(separator: " | ")
                fail("usage: hot-path scale, or hot-path PIECE COUNT with PIECE one of \(pieces)", code: 64)
            }
        } catch {
            fail("\(arguments.joined(separator: " ")): \(error)", code: 70)
        }
    }

    private static func fail(_ message: String, code: Int32) -> Never {
        let line = Array("hot-path: \(message)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(code)
    }
}

/// It did not do what is to be measured.
struct WrongWork: Error, CustomStringConvertible {
    let description: String
}
