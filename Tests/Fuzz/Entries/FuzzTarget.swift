/// A reader of what comes from outside, as a fuzzer and as a replay of the corpus call it.
enum FuzzTarget: String, CaseIterable {
    /// Binary frames into the broker's core, with time and restarts between them.
    case framesBinary = "frames-binary"
    /// JSON frames and subscriptions, a line each, into the broker's core.
    case framesJSON = "frames-json"

    /// Reads an input and checks what must hold whatever it is.
    ///
    /// - Throws: ``Finding`` when something does not hold. A trap ends the process.
    func run(_ input: [UInt8]) throws {
        switch self {
        case .framesBinary: try FramesEntry.run(binary: input)
        case .framesJSON: try FramesEntry.run(lines: input)
        }
    }
}

/// What must hold and does not.
struct Finding: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
