/// One value of a configuration: its name in the file, and how it is checked, set and read.
///
/// The list `Setting.all` is the only place that knows them: files, environment variables, the command line, the
/// effective configuration's listing and the test of the documentation all go by it.
public struct Setting: Sendable {
    /// The values that it takes.
    public enum Domain: Sendable, Equatable {
        /// Whole numbers of a range.
        case integer(ClosedRange<Int>)
        /// One of some words.
        case choice([String])
        /// Where a socket is bound.
        case endpoint
        /// The path of a file; empty: none.
        case path
    }

    /// The path of its key, such as `limits.groups`.
    public let key: String
    /// What a number counts: `ms`, `bytes`, `messages` …; empty for others.
    public let unit: String
    /// The values that it takes.
    public let domain: Domain

    private let read: @Sendable (Configuration) -> String
    private let write: @Sendable (inout Configuration, String) -> Void

    /// The name of its environment variable: `POPUP_BROKER_LIMITS_GROUPS` for `limits.groups`. The endpoints' are those
    /// that clients use: `POPUP_BROKER_INGRESS` and `POPUP_BROKER_EGRESS`.
    public var variable: String { Self.variable(of: key) }

    /// Returns the name of the environment variable of a key.
    static func variable(of key: String) -> String {
        var name = variablePrefix
        for character in key.hasSuffix(".endpoint") ? key.dropLast(".endpoint".count) : key[...] {
            if character == "." {
                name += "_"
            } else if character.isUppercase, name.last?.isLowercase == true {
                name += "_" + String(character)
            } else {
                name.append(character)
            }
        }
        return name.uppercased()
    }

    /// What all environment variables of the broker begin with.
    public static let variablePrefix = "POPUP_BROKER_"

    /// Its value, as a configuration file would have it.
    public func value(in configuration: Configuration) -> String {
        read(configuration)
    }

    /// Sets it, or returns what the value must be.
    func set(_ text: String, in configuration: inout Configuration) -> String? {
        switch domain {
        case .integer(let range):
            guard let number = Int(text), range.contains(number) else {
                let counted = unit.isEmpty ? "" : " of \(unit)"
                return "must be a whole number\(counted) from \(range.lowerBound) to \(range.upperBound)"
            }
        case .choice(let words):
            guard words.contains(text) else { return "must be one of \(words.joined(separator: ", "))" }
        case .endpoint:
            if let demand = EndpointRules.demand(on: text) { return demand }
        case .path:
            guard !text.utf8.contains(0) else { return "must be the path of a file" }
        }
        write(&configuration, text)
        return nil
    }
}

extension Setting {
    static func integer<Number: FixedWidthInteger & SendableMetatype>(
        _ key: String, _ path: any WritableKeyPath<Configuration, Number> & Sendable, _ range: ClosedRange<Int>,
        unit: String
    ) -> Setting {
        Setting(key: key, unit: unit, domain: .integer(range)) { configuration in
            String(configuration[keyPath: path])
        } write: { configuration, text in
            if let number = Number(text) { configuration[keyPath: path] = number }
        }
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ key: String, _ path: any WritableKeyPath<Configuration, Choice> & Sendable
    ) -> Setting {
        Setting(key: key, unit: "", domain: .choice(Choice.allCases.map(\.rawValue))) { configuration in
            configuration[keyPath: path].rawValue
        } write: { configuration, text in
            if let choice = Choice(rawValue: text) { configuration[keyPath: path] = choice }
        }
    }

    static func path(_ key: String, _ path: any WritableKeyPath<Configuration, String> & Sendable) -> Setting {
        Setting(key: key, unit: "", domain: .path) { configuration in
            configuration[keyPath: path]
        } write: { configuration, text in
            configuration[keyPath: path] = text
        }
    }

    static func endpoint(_ key: String, _ path: any WritableKeyPath<Configuration, String> & Sendable) -> Setting {
        Setting(key: key, unit: "", domain: .endpoint) { configuration in
            configuration[keyPath: path]
        } write: { configuration, text in
            configuration[keyPath: path] = text
        }
    }
}
