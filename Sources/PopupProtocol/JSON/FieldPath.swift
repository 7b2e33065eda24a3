/// The path of the field that is read, from the outermost message on, for the description of mistakes.
struct FieldPath {
    private struct Step {
        var message = 0
        var index = 0
        var element: Int?

        var text: String {
            "\(WireSchema.messages[message].names[index])" + (element.map { "[\($0)]" } ?? "")
        }
    }

    private var above: [Step] = []
    private var step = Step()

    /// The current field.
    var field: WireField { WireSchema.messages[step.message].fields[step.index] }

    /// The index in a list; `nil` if the field is not repeated.
    var element: Int? {
        get { step.element }
        set { step.element = newValue }
    }

    /// The path as text, such as `show.actions[2].id`.
    var text: String { (above + [step]).map(\.text).joined(separator: ".") }

    /// Returns the path of a name that is not a field of the current message.
    func text(of name: String) -> String { (above.map(\.text) + [name]).joined(separator: ".") }

    mutating func removeAll() { above.removeAll(keepingCapacity: true) }

    /// Moves to a field of the current message.
    @inline(__always)
    mutating func goTo(_ index: Int, of message: Int) { step = Step(message: message, index: index) }

    /// Enters the message in the current field.
    mutating func goIn() { above.append(step) }

    /// Returns to the field that contains the current message.
    mutating func goOut() { step = above.removeLast() }
}
