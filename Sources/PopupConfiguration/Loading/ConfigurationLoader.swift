import PopupProtocol

/// A loader that combines the three sources of a configuration. The environment overrides the file, and the command line
/// overrides both.
public struct ConfigurationLoader: Sendable {
    /// A value given on the command line.
    public struct Flag: Sendable {
        /// The path of its key, such as `limits.groups`.
        public var key: String
        /// The value as text.
        public var value: String
        /// The option as it was written, for messages: `--ingress`, `--set limits.groups`.
        public var spelling: String

        /// Creates a value of the command line.
        public init(key: String, value: String, spelling: String) {
            self.key = key
            self.value = value
            self.spelling = spelling
        }
    }

    private let file: String?
    private let environment: [String: String]
    private let flags: [Flag]
    /// Returns the configuration that the nodes of a fleet share; `nil` for none. It overrides the other sources.
    public var shared: @Sendable () -> SharedConfiguration? = { nil }

    /// Creates a loader for these sources; `file` is a path.
    public init(file: String? = nil, environment: [String: String] = [:], flags: [Flag] = []) {
        self.file = file
        self.environment = environment
        self.flags = flags
    }

    /// Returns the combined configuration again, after the file has changed.
    ///
    /// - Throws: `ConfigurationError` with all mistakes of the sources, or since the file is a pipe.
    public func reload() throws(ConfigurationError) -> LoadedConfiguration {
        if let file { try ConfigurationFile(name: file).requireRereadable() }
        return try load()
    }

    /// Returns the combined configuration.
    ///
    /// - Throws: `ConfigurationError` with all mistakes of the sources.
    public func load() throws(ConfigurationError) -> LoadedConfiguration {
        var draft = ConfigurationDraft(file: file)
        if let file { ConfigurationFile(name: file).read(into: &draft) }
        applyEnvironment(to: &draft)
        for flag in flags {
            draft.set(flag.key, to: flag.value, from: .flag(flag.spelling))
        }
        if let shared = shared() { draft.replace(by: shared) }
        return try draft.finish()
    }

    private func applyEnvironment(to draft: inout ConfigurationDraft) {
        for variable in environment.keys.sorted() where variable.hasPrefix(Setting.variablePrefix) {
            guard let setting = Setting.all.first(where: { $0.variable == variable }) else {
                // No error: container platforms set variables of their own after the names of services.
                if let newKey = RenamedSettings.newKey(forVariable: variable) {
                    let text = "is now called `\(Setting.variable(of: newKey))`; rename it"
                    draft.problems.append(
                        ConfigurationProblem(origin: .environment(variable: variable), key: "", text: text))
                } else if !Self.otherVariables.contains(variable) {
                    let advice = Suggestion.nearest(to: variable, among: Setting.all.map(\.variable))
                    let hint = advice.map { "; did you mean `\($0)`?" } ?? ""
                    draft.warnings.append("the environment variable \(variable) is not the name of a setting" + hint)
                }
                continue
            }
            draft.set(setting.key, to: environment[variable] ?? "", from: .environment(variable: variable))
        }
    }

    /// The variables that are no settings: of the program, and of clients with keys, which may have the same environment.
    private static let otherVariables = [
        fileVariable, Setting.variablePrefix + "KEY", Setting.variablePrefix + "SERVER_KEY",
    ]

    /// The environment variable for the path of the configuration file.
    public static let fileVariable = Setting.variablePrefix + "CONFIG"
}
