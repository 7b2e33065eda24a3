/// The style of a run of text.
enum Style: Equatable {
    case plain
    case bold
    case dim
    case reversed
    /// The text has the colour of a popup's style: info, success, warning, error.
    case tinted(String)

    /// The sequence that turns the style on (Select Graphic Rendition).
    var sequence: String {
        switch self {
        case .plain: ""
        case .bold: "\u{1B}[1m"
        case .dim: "\u{1B}[2m"
        case .reversed: "\u{1B}[7m"
        case .tinted("success"): "\u{1B}[32m"
        case .tinted("warning"): "\u{1B}[33m"
        case .tinted("error"): "\u{1B}[31m"
        case .tinted: "\u{1B}[36m"
        }
    }
}

/// A line of a screen: runs of text, each in one style.
struct StyledLine: Equatable, ExpressibleByStringInterpolation {
    struct Run: Equatable {
        var text: String
        var style: Style
    }

    var runs: [Run]

    init(_ text: String, _ style: Style = .plain) {
        runs = [Run(text: text, style: style)]
    }

    init(stringLiteral text: String) {
        self.init(text)
    }

    /// The text without its styles.
    var text: String { runs.map(\.text).joined() }

    /// Returns the bytes for a terminal.
    func sequence(inColour: Bool) -> String {
        guard inColour else { return text }
        return runs.map { $0.style == .plain ? $0.text : $0.style.sequence + $0.text + "\u{1B}[0m" }.joined()
    }

    static func + (left: StyledLine, right: StyledLine) -> StyledLine {
        var line = left
        line.runs += right.runs
        return line
    }
}
