import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol

struct PolicyCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Set the policy of a group or pattern. It replaces the earlier policy as a whole.",
        discussion: """
            The rules come from options, which change a preset, or from JSON with the fields of the protocol:

            popupctl policy lobby --preset lifo --gap 500ms
            popupctl policy 'store-12/*' --cap ads=3/10m
            popupctl policy '*' --quiet '22:00-07:00@Europe/Berlin<5'
            popupctl policy --policy '{"group":"lobby","preset":"LIFO","gapMs":500}'
            popupctl policy --policy @lobby.json
            """)

    @Argument(help: "A group or a pattern (store-12/*, *).")
    var group: String?

    @Option(name: .customLong("policy"), help: "The policy as JSON, or @FILE; - reads standard input.")
    var wholePolicy: String?

    @OptionGroup(title: "Interruption and times") var rules: PolicyOptions

    @OptionGroup(title: "Renderers") var renderers: RendererPolicyOptions

    @OptionGroup(title: "Caps, quiet hours and the queue") var restraint: RestraintOptions

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func validate() throws {
        if wholePolicy == nil, group == nil {
            throw ValidationError("Give a group or pattern, or a --policy that contains one.")
        }
        if wholePolicy != nil, optionPolicy(of: "") != GroupPolicy() {
            throw ValidationError("Give the rules as options or with --policy, not both.")
        }
    }

    func send(_ admin: AdminClient) async throws -> String {
        let policy = try policy()
        try await admin.setPolicy(policy)
        return policy.group
    }

    func run(_ admin: AdminClient) async throws {
        let policy = try policy()
        let seen = try await Observation(admin: admin).events(of: [policy.group]) {
            try await admin.setPolicy(policy)
        }
        if broker.json {
            for event in seen { Terminal.print(try JSON.line(event)) }
        } else {
            Terminal.print("\(policy.group): policy set")
        }
    }

    func policy() throws -> GroupPolicy {
        guard let wholePolicy else { return optionPolicy(of: group ?? "") }
        var policy = try Self.decode(wholePolicy)
        if let group { policy.group = group }
        return policy
    }

    private func optionPolicy(of group: String) -> GroupPolicy {
        var policy = GroupPolicy(group)
        rules.apply(to: &policy)
        renderers.apply(to: &policy)
        restraint.apply(to: &policy)
        return policy
    }

    private static func decode(_ argument: String) throws -> GroupPolicy {
        let text: [UInt8] =
            switch argument.first {
            case "@": Array(try ContentOptions.read(String(argument.dropFirst())))
            case "-": Array(try ContentOptions.read("-"))
            default: Array(argument.utf8)
            }
        let command = Array("{\"setPolicy\":".utf8) + text + Array("}".utf8)
        if let fault = Ingress.unknownField(in: command) {
            throw Failure("the policy is not valid: \(fault)", .refused)
        }
        do throws(CommandRefusal) {
            return try Ingress.command(json: command).setPolicy
        } catch {
            throw Failure("the policy is not valid: \(error)", .refused)
        }
    }
}
