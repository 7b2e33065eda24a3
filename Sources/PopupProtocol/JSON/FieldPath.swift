/// The fields from the outermost message to the one that is read, to tell where a mistake is.
struct FieldPath {
    private struct Step {
        var message = 0
        var place = 0
        var element: Int?

        var text: String {
            "\(WireSchema.messages[message].names[place])" + (element.map { "[\($0)]" } ?? "")
        }
    }

    private var above: [Step] = []
    private var step = Step()

    /// The field that is read.
    var field: WireField { WireSchema.messages[step.message].fields[step.place] }

    /// Its place in a list; `nil`: the field is none.
    var element: Int? {
        get { step.element }
        set { step.element = newValue }
    }

    /// The path as it is told: `show.actions[2].id`.
    var text: String { (above + [step]).map(\.text).joined(separator: ".") }

    /// The path of a name that is no field of the message that is read.
    func text(of name: String) -> String { (above.map(\.text) + [name]).joined(separator: ".") }

    mutating func removeAll() { above.removeAll(keepingCapacity: true) }

    /// Goes on to a field of the message that is read.
    @inline(__always)
    mutating func goTo(_ place: Int, of message: Int) { step = Step(message: message, place: place) }

    /// Goes to the message that the field holds.
    mutating func goIn() { above.append(step) }

    /// Goes back to the field that holds the message.
    mutating func goOut() { step = above.removeLast() }
}
