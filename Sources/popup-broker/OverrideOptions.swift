import ArgumentParser
import PopupConfiguration

/// The options that set values of the configuration, over the file and the environment.
struct OverrideOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The endpoint for commands.", valueName: "endpoint"))
    var ingress: String?

    @Option(help: ArgumentHelp("The endpoint for states, events and replies.", valueName: "endpoint"))
    var egress: String?

    @Option(
        help: ArgumentHelp("The data directory, where accepted commands are stored.", valueName: "directory"),
        completion: .directory)
    var dataDir: String?

    @Option(
        help: ArgumentHelp(
            "What accepted commands survive: full (a power cut), normal (a crash of the broker) or memory (nothing).",
            valueName: "level"))
    var durability: String?

    @Option(help: ArgumentHelp("The lowest severity that is logged.", valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp("The format of log lines: text or json.", valueName: "format"))
    var logFormat: String?

    @Option(
        help: ArgumentHelp("Record all committed commands in a new file, for simulate.", valueName: "file"),
        completion: .file())
    var record: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Any setting by its key, for example limits.groups=1000. May be repeated.", valueName: "key=value"))
    var settings: [String] = []

    func validate() throws {
        if dataDir?.isEmpty == true {
            throw ValidationError("--data-dir is empty; name a directory, or omit the option.")
        }
        for setting in settings where !setting.contains("=") {
            throw ValidationError("--set \(setting): give KEY=VALUE, for example --set limits.groups=1000.")
        }
    }

    /// The values, those that win last.
    var flags: [ConfigurationLoader.Flag] {
        let named: [(name: String, key: String, value: String?)] = [
            ("--ingress", "ingress.endpoint", ingress),
            ("--egress", "egress.endpoint", egress),
            ("--data-dir", "journal.directory", dataDir),
            ("--durability", "journal.durability", durability),
            ("--log-level", "log.level", logLevel),
            ("--log-format", "log.format", logFormat),
            ("--record", "recording.file", record),
        ]
        let pairs = settings.map { setting in
            let key = String(setting.prefix { $0 != "=" })
            return ConfigurationLoader.Flag(
                key: key, value: String(setting.dropFirst(key.count + 1)), spelling: "--set \(key)")
        }
        return pairs
            + named.compactMap { name, key, value in
                value.map { ConfigurationLoader.Flag(key: key, value: $0, spelling: name) }
            }
    }
}
