extension StringProtocol {
    /// The text on one line, without control and format characters, which a terminal would obey: a space stands for
    /// each. A joiner between two other characters stays: it belongs to a word or to an emoji.
    package var onOneLine: String {
        let scalars = Array(unicodeScalars)
        var line = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            let isKept =
                scalar.isJoiner
                ? index > 0 && scalars[index - 1].isHarmless && index + 1 < scalars.count
                    && scalars[index + 1].isHarmless
                : scalar.isHarmless
            line.append(isKept ? scalar : " ")
        }
        return String(line)
    }
}

extension Unicode.Scalar {
    /// Whether it is a zero width joiner or non-joiner.
    fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

    /// Whether no terminal obeys it.
    fileprivate var isHarmless: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
}
