import ExampleSupport

/// A source of the lines of an open file, pipe or terminal, to its end.
struct OpenLines: LineSource {
    private let file: OpenFile
    private var splitter = LineSplitter()
    private var isAtEnd = false

    init(_ file: OpenFile) {
        self.file = file
    }

    mutating func next() async throws -> [String]? {
        while !isAtEnd {
            let bytes = try await file.read()
            isAtEnd = bytes.isEmpty
            let lines = isAtEnd ? splitter.finish().map { [$0] } ?? [] : splitter.lines(adding: bytes)
            if !lines.isEmpty { return lines }
        }
        return nil
    }
}
