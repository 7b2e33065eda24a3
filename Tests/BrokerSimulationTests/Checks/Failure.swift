/// What must not be, was.
struct Failure: Error, Equatable, CustomStringConvertible {
    /// The check, in a few words: a script is shrunk while the same one fails.
    var check: String
    var detail: String

    var description: String { "\(check): \(detail)" }
}
