/// A text with captures of a match: `{0}` is the whole match, `{1}` the first capture, `{name}` a named one; `{{` and
/// `}}` are the braces themselves.
struct Template: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case text(String)
        case number(Int)
        case name(String)
    }

    /// A mistake in a template.
    struct Malformed: Error, Equatable {
        var message: String
    }

    let parts: [Part]

    init(parts: [Part]) {
        self.parts = parts
    }

    init(_ source: String) throws(Malformed) {
        var parts: [Part] = []
        var text = ""
        var rest = Substring(source)
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                text.append(character)
                rest.removeFirst()
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Malformed(message: "`{` has no `}`; write `{{` for the brace itself")
                }
                let name = String(rest[..<end])
                rest = rest[rest.index(after: end)...]
                guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else {
                    throw Malformed(message: "`{\(name)}` is not a capture; write `{1}` or `{name}`")
                }
                if !text.isEmpty { parts.append(.text(text)) }
                text = ""
                parts.append(Int(name).map(Part.number) ?? .name(name))
            } else if character == "}" {
                throw Malformed(message: "`}` has no `{`; write `}}` for the brace itself")
            } else {
                text.append(character)
            }
        }
        if !text.isEmpty { parts.append(.text(text)) }
        self.parts = parts
    }

    /// Returns the text for a match. A capture that took no part is empty.
    ///
    /// - Parameter transform: The change of each capture.
    func text(_ match: Regex<AnyRegexOutput>.Match, _ transform: (Substring) -> String = { String($0) }) -> String {
        parts.reduce(into: "") { text, part in
            switch part {
            case .text(let literal): text += literal
            case .number(let number): text += transform(number < match.count ? match[number].substring ?? "" : "")
            case .name(let name): text += transform(match[name]?.substring ?? "")
            }
        }
    }
}
