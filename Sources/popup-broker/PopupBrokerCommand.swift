import ArgumentParser
import CommandNames

/// The program `popup-broker`: the broker, and tools for its configuration, keys, policies and data.
@main
struct PopupBrokerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "popup-broker",
        abstract: "A broker for popups: producers request them, at most one per group is active, renderers show it.",
        // Scripts/man_page.py makes these lists sections of the manual page.
        discussion: """
            Exit codes:
              0   success; with `run`: SIGTERM or SIGINT ended it
              64  wrong arguments
              65  the data directory, a key file or the input of `simulate` is damaged,
                  not valid, or of a newer version
              66  a key file, a journal or the input of `simulate` cannot be read
              69  an endpoint cannot be bound: the port is in use, or no interface has
                  the address
              70  a bug of the program
              73  what is to be written is there already, or cannot be made
              74  the disk is full, or reading or writing failed
              75  another broker has the data directory open
              77  the user may not read or write the data directory; others can read a
                  secret key; `check-config --may` answers no
              78  the configuration has mistakes; they are listed

            Files:
              /etc/popup-broker/popup-broker.yaml
                  the configuration of the service
              /etc/popup-broker/broker.key
                  the secret key of the service, if security.curve.secretKeyFile names it
              /var/lib/popup-broker
                  the data directory of the service
              ~/.local/state/popup-broker/127.0.0.1-5570
                  the data directory without the service, by the ingress endpoint

            Environment:
              POPUP_BROKER_CONFIG
                  the configuration file
              POPUP_BROKER_INGRESS, POPUP_BROKER_EGRESS
                  the endpoints
              POPUP_BROKER_*
                  any other setting: limits.groups is POPUP_BROKER_LIMITS_GROUPS
              STATE_DIRECTORY
                  the data directory, if the configuration names none; systemd sets it
              XDG_STATE_HOME
                  the directory to use instead of ~/.local/state
              TZDIR
                  the time zone data, instead of /usr/share/zoneinfo
            """,
        version: VersionCommand.text,
        subcommands: [
            RunCommand.self, CheckConfigCommand.self, SimulateCommand.self, JournalCommand.self, KeysCommand.self,
            VersionCommand.self,
        ])

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let message = misspeltCommand(in: arguments) {
            StandardError.write("popup-broker: \(message)")
            exit(withError: ExitCode.validationFailure)
        }
        await runProgram(arguments)
    }
}
