import ArgumentParser
import PopupConfiguration

/// The options that set values of the configuration, over the file and the environment.
struct OverrideOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Where commands come in.", discussion: "", valueName: "endpoint"))
    var ingress: String?

    @Option(help: ArgumentHelp("Where states, events and replies go out.", valueName: "endpoint"))
    var egress: String?

    @Option(
        help: ArgumentHelp("The data directory: what is committed there outlives the broker.", valueName: "folder"),
        completion: .directory)
    var dataDir: String?

    @Option(help: ArgumentHelp("What committed commands outlive: full, normal or memory.", valueName: "level"))
    var durability: String?

    @Option(help: ArgumentHelp("The least severity that is logged.", valueName: "level"))
    var logLevel: String?

    @Option(help: ArgumentHelp("How a line of the log looks: text or json.", valueName: "format"))
    var logFormat: String?

    @Option(
        help: ArgumentHelp("Record what is committed into a new file, for simulate.", valueName: "file"),
        completion: .file())
    var record: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Any setting by its key, such as limits.groups=1000. Can be repeated.", valueName: "key=value"))
    var settings: [String] = []

    func validate() throws {
        if dataDir?.isEmpty == true {
            throw ValidationError("--data-dir names no folder; give one, or leave the option out.")
        }
        for setting in settings where !setting.contains("=") {
            throw ValidationError("--set \(setting): give KEY=VALUE, such as --set limits.groups=1000.")
        }
    }

    /// The values in the order of their strength.
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
