import ArgumentParser
import CommandNames
import Foundation
import Logging
import PopupAccess
import PopupGateway
import PopupGatewayServer
import PopupProtocol
import Supervision

/// The gateway's program.
@main
struct PopupGatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "popup-gateway", abstract: "Serves popups over HTTP: to curl, to scripts and to browsers.",
        // Scripts/man_page.py makes these lists sections of the manual page.
        discussion: """
            Exit codes:
              0   success; with `run`: SIGTERM or SIGINT ended it
              1   another failure, such as no memory or no open files left for the sockets to the broker
              64  wrong arguments; a file that they name cannot be read or written
              69  an address cannot be used: the port is in use, or no interface has it
              74  standard output cannot be written: the disk is full, for example
              78  the configuration, the file of tokens or a theme has mistakes

            Files:
              /etc/popup-gateway/popup-gateway.yaml
                  the configuration of the service
              /etc/popup-gateway/tokens.yaml
                  the file of tokens, if `tokens` names no other one

            Environment:
              POPUP_BROKER_INGRESS, POPUP_BROKER_EGRESS
                  the endpoints of the broker
              POPUP_BROKER_KEY, POPUP_BROKER_SERVER_KEY
                  the files of the gateway's secret key and of the broker's public key
              POPUP_GATEWAY_*
                  any other setting: http.listen is POPUP_GATEWAY_HTTP_LISTEN
            """,
        version: ProductVersion.text(of: "popup-gateway"),
        subcommands: [Run.self, CheckConfig.self, Token.self, Overlay.self], defaultSubcommand: Run.self)

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let message = misspeltCommand(in: arguments) {
            exit(withError: ExitCode.arguments(message))
        }
        await runProgram(arguments)
    }
}

extension ExitCode {
    /// The configuration or the file of tokens cannot be used: `EX_CONFIG` of sysexits.h.
    private static let configuration = ExitCode(78)

    /// An address cannot be used: `EX_UNAVAILABLE` of sysexits.h.
    private static let unavailable = ExitCode(69)

    /// Writes what is wrong with the configuration to standard error, and returns the code.
    static func configuration(_ mistake: String) -> ExitCode { failure(mistake, code: .configuration) }

    /// Writes what is wrong with an address to standard error, and returns the code.
    static func unavailable(_ problem: String) -> ExitCode { failure(problem, code: .unavailable) }

    /// Writes what is wrong with the arguments, or with a file that they name, to standard error, and returns the code.
    static func arguments(_ mistake: String) -> ExitCode { failure(mistake, code: .validationFailure) }

    /// Writes what is wrong to standard error, and returns the code.
    private static func failure(_ problem: String, code: ExitCode) -> ExitCode {
        FileHandle.standardError.write(Data("popup-gateway: \(problem)\n".utf8))
        return code
    }
}

/// The options for the configuration file.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The file of the configuration.", valueName: "file"))
    var config: String?

    /// A file of the command line that cannot be read.
    struct UnreadableFile: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the text of a file.
    ///
    /// - Parameter again: Whether it was read before: then a pipe would be empty.
    static func text(of file: ServiceFile, again: Bool = false) throws(UnreadableFile) -> String {
        do { return try file.gatewayText(again: again) } catch { throw UnreadableFile(description: "\(error)") }
    }

    /// Returns the text of a file that an argument names, and exits if it cannot be read.
    static func text(ofArgument file: ServiceFile) throws(ExitCode) -> String {
        do { return try text(of: file) } catch { throw ExitCode.arguments("\(error)") }
    }

    /// Reads the configuration: the file if there is one, the environment, then the flags.
    ///
    /// - Parameter again: Whether it was read before: then a pipe would be empty, and all as without it.
    /// - Throws: `GatewayConfiguration.Mistake`; `UnreadableFile`.
    static func read(
        _ path: String?, _ flags: [(key: String, value: String?)], again: Bool = false
    ) throws -> GatewayConfiguration {
        let yaml = try path.map { try text(of: ServiceFile($0), again: again) }
        var configuration: GatewayConfiguration
        do throws(GatewayConfiguration.Mistake) {
            configuration = try GatewayConfiguration(yaml: yaml, environment: ProcessInfo.processInfo.environment)
        } catch {
            throw error.within(path)
        }
        for (key, value) in flags {
            if let value { try configuration.set(key, to: [value]) }
        }
        try configuration.check()
        return configuration
    }

    /// Reads the configuration, and exits if it has a mistake or cannot be read.
    static func load(_ path: String?, _ flags: [(key: String, value: String?)] = []) throws -> GatewayConfiguration {
        do { return try read(path, flags) } catch let mistake as GatewayConfiguration.Mistake {
            throw ExitCode.configuration("\(mistake)")
        } catch let failure as UnreadableFile {
            throw ExitCode.arguments("\(failure)")
        }
    }
}

struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve.")

    @OptionGroup var options: ConfigurationOptions
    @Option(
        help: ArgumentHelp(
            "The public address, HOST:PORT, unix:/PATH or systemd, instead of `http.listen`.", valueName: "address"))
    var listen: String?
    @Option(
        help: ArgumentHelp(
            "The address for health and metrics, HOST:PORT or unix:/PATH, instead of `admin.listen`.",
            valueName: "address"))
    var admin: String?
    @Option(help: ArgumentHelp("The file of access tokens, instead of `tokens`.", valueName: "file"))
    var tokens: String?

    func run() async throws {
        let path = options.config
        let flags = [("http.listen", listen), ("admin.listen", admin), ("tokens", tokens)]
        let configuration = try ConfigurationOptions.load(path, flags)
        let logger = Logger(label: "popup-gateway") { StreamLogHandler.standardError(label: $0) }
        for warning in GatewayConfiguration.warnings(about: ProcessInfo.processInfo.environment) {
            logger.warning("\(warning)")
        }
        let server = GatewayServer(
            configuration, logger: logger,
            load: { try ConfigurationOptions.read(path, flags, again: true) })
        do {
            try await server.run { http, admin in
                Self.writeLine("popup-gateway ready http=\(http.url) admin=\(admin.url)")
            }
        } catch let error as ListenError {
            throw ExitCode.unavailable("\(error)")
        } catch let mistake as GatewayConfiguration.Mistake {
            throw ExitCode.configuration("\(mistake)")
        }
    }
}

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a configuration and its file of tokens, without serving.")

    @Argument(help: "The file of the configuration.")
    var file: String

    func run() throws {
        let configuration = try ConfigurationOptions.load(file)
        guard GatewayServer.hasTokens(configuration) else {
            throw ExitCode.configuration(
                "there is no file of tokens `\(configuration.tokens)`: every request would be refused")
        }
        do {
            _ = try GatewayServer.tokens(of: configuration)
            _ = try GatewayServer.themes(of: configuration)
        } catch {
            throw ExitCode.configuration("\(error)")
        }
        print("\(file) is valid")
    }
}

struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make access tokens.", subcommands: [New.self], defaultSubcommand: New.self)

    struct New: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new token, and the entry for the file of tokens; with --tokens, add it to the file.")

        @Option(help: "The name of the token.")
        var name = "somebody"
        @Option(
            parsing: .upToNextOption,
            help: ArgumentHelp(
                "What it may do: \(Right.allCases.map(\.rawValue).joined(separator: ", ")) (default: watch).",
                valueName: "right"))
        var may: [String] = []
        @Option(
            parsing: .upToNextOption,
            help: ArgumentHelp("The groups and patterns where it may (default: lobby).", valueName: "group"))
        var group: [String] = []
        @Option(
            help: ArgumentHelp(
                "The file of tokens to which it is added; it is made if there is none. Then only the token is printed.",
                valueName: "file"))
        var tokens: String?

        func run() throws {
            let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
            let digits = secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            let token = "pg_\(digits)"
            let before = try existing()
            let text: String
            do {
                text = try TokensFile.adding(
                    name: name, hash: TokenHash(of: token), rights: may.isEmpty ? ["watch"] : may,
                    groups: group.isEmpty ? ["lobby"] : group, to: before)
            } catch { throw ExitCode.arguments("\(error)") }
            guard let tokens else {
                print("token: \(token)")
                print(text.split(separator: "\n").dropFirst().joined(separator: "\n"))
                return
            }
            do { try text.write(toFile: tokens, atomically: true, encoding: .utf8) } catch {
                throw ExitCode.arguments(
                    "the file `\(tokens)` cannot be written; check its directory and the permissions")
            }
            print(token)
        }

        /// Returns the text of the file; `nil` if there is none.
        private func existing() throws -> String? {
            guard let tokens, FileManager.default.fileExists(atPath: tokens) else { return nil }
            return try ConfigurationOptions.text(
                ofArgument: ServiceFile(tokens, largestSize: TokensFile.largestSize))
        }
    }
}

struct Overlay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write the overlay page to one file that loads without the gateway, for OBS and kiosks.")

    @Option(help: ArgumentHelp("A group or pattern that it shows. May be repeated.", valueName: "group"))
    var group: [String]
    @Option(help: ArgumentHelp("The address of the gateway.", valueName: "url"))
    var src = "http://127.0.0.1:8570"
    @Option(help: ArgumentHelp("A file with the access token, which is written into the page.", valueName: "file"))
    var tokenFile: String?
    @Option(help: "light, dark or a theme of the gateway; by default as the system.")
    var theme: String?
    @Option(help: "Whether it renders, or only watches, without buttons.")
    var mode = Mode.watch
    @Option(help: "The place of popups without a scene.")
    var corner: Corner?
    @Option(help: "The name of the renderer; by default a new one for each load of the page.")
    var client: String?
    @Option(help: "How a renderer answers offers.")
    var offer: Offer?
    @Flag(help: "A button for more time; the token needs the right update.")
    var extend = false
    @Option(
        parsing: .upToNextOption, help: ArgumentHelp("The hosts from which it loads icons.", valueName: "host"))
    var imageHosts: [String] = []
    @Option(help: ArgumentHelp("Where to write it.", valueName: "file"))
    var output: String

    enum Mode: String, CaseIterable, ExpressibleByArgument { case watch, render }
    enum Corner: String, CaseIterable, ExpressibleByArgument {
        case bottomRight = "bottom-right"
        case bottomLeft = "bottom-left"
        case topRight = "top-right"
        case topLeft = "top-left"
    }
    enum Offer: String, CaseIterable, ExpressibleByArgument { case auto, manual, never }

    func validate() throws {
        for pattern in group where GroupPattern(pattern) == nil {
            throw ValidationError("--group has `\(pattern)`, which is neither a group nor a pattern")
        }
        guard let url = URL(string: src), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false, url.query == nil, url.fragment == nil
        else {
            throw ValidationError("--src is `\(src)`; it must be the gateway's address, such as http://127.0.0.1:8570")
        }
        if let client, ClientToken(client) == nil {
            throw ValidationError("--client is `\(client)`; use 1 to 64 of A–Z a–z 0–9 . _ -")
        }
        if let theme, theme.wholeMatch(of: /[A-Za-z0-9_-]+/) == nil {
            throw ValidationError("--theme is `\(theme)`, which is no name of a theme; use A–Z a–z 0–9 _ -")
        }
    }

    func run() throws {
        let token = try tokenFile.map { path in
            let token = try ConfigurationOptions.text(ofArgument: ServiceFile(path))
                .trimmingCharacters(in: .whitespacesAndNewlines)
            guard !token.isEmpty, !token.contains(where: \.isWhitespace) else {
                throw ExitCode.arguments("the file `\(path)` must hold one token, and nothing else")
            }
            return token
        }
        let hosts: [String]
        do { hosts = try imageHosts.map { try GatewayConfiguration.imageHost("--image-hosts", $0) } } catch {
            throw ExitCode.arguments("\(error)")
        }
        let settings: [String: String?] = [
            "group": group.joined(separator: " "), "src": src, "mode": mode.rawValue, "theme": theme,
            "corner": corner?.rawValue,
            "token": token, "client": client, "offer": offer?.rawValue,
            "extend": extend ? "1" : nil, "image-hosts": hosts.isEmpty ? nil : hosts.joined(separator: " "),
        ]
        // The file may hold a token, so only its owner may read it.
        guard
            FileManager.default.createFile(
                atPath: output, contents: Data(OverlayFile.text(settings.compactMapValues { $0 }).utf8),
                attributes: [.posixPermissions: 0o600])
        else { throw ExitCode.arguments("the file `\(output)` cannot be written") }
    }
}
