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

extension String {
    /// The text of JSON with escapes in place of the control and format characters that a terminal would obey. Its value is
    /// the same.
    package var jsonWithoutInvisibles: String {
        guard !utf8.allSatisfy({ $0 < 0x80 }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard !scalar.isASCII, !scalar.isHarmless, !scalar.isJoiner else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar)! {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
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
