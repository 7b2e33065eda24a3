/// A setting: its key in the file, and how its value is checked, set and read.
///
/// The list `Setting.all` is the only definition of the settings. Files, environment variables, the command line, the
/// listing of `check-config` and the test of the documentation use it.
public struct Setting: Sendable {
    /// The values that a setting accepts.
    public enum Domain: Sendable, Equatable {
        /// Whole numbers of a range.
        case integer(ClosedRange<Int>)
        /// One of several words.
        case choice([String])
        /// An endpoint of a socket.
        case endpoint
        /// The path of a file; empty: none.
        case path
        /// `true` or `false`.
        case flag
        /// The permissions of a file: an octal number, as for chmod.
        case fileMode
    }

    /// The path of its key, such as `limits.groups`.
    public let key: String
    /// The unit of a number: `ms`, `bytes`, `messages` …; empty for others.
    public let unit: String
    /// The values that it accepts.
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

    /// The prefix of all environment variables of the broker.
    public static let variablePrefix = "POPUP_BROKER_"

    /// Returns its value in the form of a configuration file.
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
        case .flag:
            guard Bool(text) != nil else { return "must be true or false" }
        case .fileMode:
            guard let mode = Int(text, radix: 8), (0o600...0o777).contains(mode), mode & 0o600 == 0o600 else {
                return "must be an octal number of chmod that lets the owner read and write, such as 0660"
            }
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

    static func flag(_ key: String, _ path: any WritableKeyPath<Configuration, Bool> & Sendable) -> Setting {
        Setting(key: key, unit: "", domain: .flag) { configuration in
            String(configuration[keyPath: path])
        } write: { configuration, text in
            if let value = Bool(text) { configuration[keyPath: path] = value }
        }
    }

    static func fileMode(_ key: String, _ path: any WritableKeyPath<Configuration, Int> & Sendable) -> Setting {
        Setting(key: key, unit: "", domain: .fileMode) { configuration in
            "0" + String(configuration[keyPath: path], radix: 8)
        } write: { configuration, text in
            if let mode = Int(text, radix: 8) { configuration[keyPath: path] = mode }
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
