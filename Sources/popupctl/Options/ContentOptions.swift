import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol
import SystemCalls

/// The content of a popup: from an argument, a file, or standard input.
struct ContentOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The text; several words are joined by spaces; - reads standard input.", valueName: "text"))
    var words: [String] = []

    @Option(
        name: [.short, .customLong("file")], help: "Read the content from a file; - reads standard input.",
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

    /// The text of the arguments; `nil` if there are none.
    private var text: String? { words.isEmpty ? nil : words.joined(separator: " ") }

    func validate() throws {
        if text != nil, file != nil {
            throw ValidationError("Give the content as an argument or with --file, not both.")
        }
    }

    /// Returns the content; `nil` if none was given.
    func read() throws -> Content? {
        if let text, text != "-" { return binary ? .data(Data(text.utf8)) : .text(text) }
        guard let path = file ?? text else { return nil }
        let data = try Self.read(path)
        if binary { return .data(data) }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Failure("\(path) is not UTF-8 text; send it with --binary and --content-type", .noInput)
        }
        return .text(text)
    }

    /// Returns the bytes of a file, at most one more than a frame may have: the broker refuses longer ones in any case.
    static func read(_ path: String) throws -> Data {
        do throws(InputError) {
            return Data(try InputFile(argument: path).content(upTo: Ingress.maxFrameBytes + 1))
        } catch {
            throw Failure("\(error)", .noInput)
        }
    }
}
