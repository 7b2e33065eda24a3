import ArgumentParser
import Foundation
import PopupClient

/// The content of a popup: from an argument, a file, or standard input.
struct ContentOptions: ParsableArguments {
    @Argument(help: "What it says; - reads standard input.")
    var argument: String?

    @Option(help: "The same as an option.")
    var text: String?

    @Option(
        name: [.short, .customLong("file")], help: "Read the content from a file; - is standard input.",
        completion: .file())
    var file: String?

    @Flag(help: "Send the content as bytes, not as text.")
    var binary = false

    @Option(help: "Its media type (text/markdown, image/png).")
    var contentType: String?

    enum Content: Equatable {
        case text(String)
        case data(Data)
    }

    func validate() throws {
        if [argument, text, file].count(where: { $0 != nil }) > 1 {
            throw ValidationError("Give the content once: as an argument, with --text or with --file.")
        }
    }

    /// - Returns: nil when no content was given.
    func read() throws -> Content? {
        if let text = text ?? argument.flatMap({ $0 == "-" ? nil : $0 }) {
            return binary ? .data(Data(text.utf8)) : .text(text)
        }
        guard let path = file ?? argument else { return nil }
        let data = try Self.read(path)
        if binary { return .data(data) }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure("\(path) is not UTF-8 text; send it with --binary and --content-type", .noInput)
        }
        return .text(text)
    }

    /// A file's bytes, one more than a frame holds at most: whatever is longer is refused in any case.
    static func read(_ path: String) throws -> Data {
        let limit = Ingress.maximumFrameBytes + 1
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: path != "-")
        var data = Data()
        do {
            while data.count < limit, let part = try handle.read(upToCount: limit - data.count), !part.isEmpty {
                data += part
            }
        } catch {
            throw unreadable(path, errno)
        }
        return data
    }

    private static func unreadable(_ path: String, _ number: Int32) -> Failure {
        Failure("cannot read \(path): \(String(cString: strerror(number)))", .noInput)
    }
}
