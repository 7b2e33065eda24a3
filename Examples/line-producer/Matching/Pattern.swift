/// A rule's regular expression, with its captures.
struct Pattern {
    let regex: Regex<AnyRegexOutput>
    let source: String

    /// Returns the capture that a part of a template names and that the pattern does not have.
    func lacks(_ part: Template.Part) -> String? {
        switch part {
        case .text: nil
        case .name(let name): regex.contains(captureNamed: name) ? nil : "`\(name)`"
        case .number(let number): number <= captures ? nil : "\(number); it has \(captures)"
        }
    }

    /// The number of groups that capture. `Regex` gives it only for a match.
    var captures: Int {
        var count = 0
        var isInClass = false
        var rest = Substring(source)
        while let character = rest.popFirst() {
            switch character {
            case "\\": rest = rest.dropFirst()
            case "[": isInClass = true
            case "]": isInClass = false
            case "(" where !isInClass:
                let names = rest.hasPrefix("?<") && !rest.hasPrefix("?<=") && !rest.hasPrefix("?<!")
                if !rest.hasPrefix("?") || names || rest.hasPrefix("?P<") { count += 1 }
            default: break
            }
        }
        return count
    }
}
