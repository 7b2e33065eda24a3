import ArgumentParser
@_spi(Wire) import PopupClient
import PopupProtocol
import TerminalText

struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Print, change and remove the policies of groups and patterns.",
        discussion: """
              popupctl policy show
              popupctl policy show lobby
              popupctl policy set lobby --preset lifo --gap 500ms
              popupctl policy unset lobby
            """,
        subcommands: [ShowPolicyCommand.self, SetPolicyCommand.self, UnsetPolicyCommand.self])
}

struct ShowPolicyCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the policy in force for a group or pattern, or all policies; changes nothing.",
        discussion: """
            Prints every rule, as the preset and the options resolve to, and where the policy comes from: the \
            configuration, a client, or the default. Rules have the names and words of the protocol and of the \
            configuration file; caps and quiet windows are written out. --json has them as in the protocol.
            """)

    @Argument(help: "A group or a pattern (default: every policy that is set).", completion: BrokerCompletion.groups)
    var group: String?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { group.map { [$0] } ?? [] }

    func run(_ admin: AdminClient) async throws {
        let policies = if let group { [try await admin.policy(inForceFor: group)] } else { try await admin.policies() }
        for (place, policy) in policies.enumerated() {
            if broker.json {
                Terminal.print(try JSON.line(policy))
            } else {
                if place > 0 { Terminal.print("") }
                PolicyLines(policy: policy, asked: group).lines.forEach(Terminal.print)
            }
        }
    }
}

struct SetPolicyCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the policy of a group or pattern: only the rules that are given.",
        discussion: """
            The other rules stay as they are in the policy in force, which may be that of a pattern above. --cap and \
            --quiet replace all caps or quiet windows; --preset sets --higher, --peers, --lower, --ignore-priority and \
            --resume. With --replace, the other rules are those of the preset; a policy in JSON, with the fields of the \
            protocol, always replaces the earlier one.

              popupctl policy set lobby --preset lifo --gap 500ms
              popupctl policy set 'store-12/*' --cap ads=3/10m
              popupctl policy set '*' --quiet '22:00-07:00@Europe/Berlin<5'
              popupctl policy set --policy '{"group":"lobby","preset":"LIFO","gapMs":500}'
              popupctl policy set --policy @lobby.json
            """)

    @Argument(help: "A group or a pattern (store-12/*, *).", completion: BrokerCompletion.groups)
    var group: String?

    @Option(name: .customLong("policy"), help: "The whole policy as JSON, or @FILE; - reads standard input.")
    var wholePolicy: String?

    @Flag(help: "Set every rule that is not given to that of the preset.")
    var replace = false

    @OptionGroup(title: "Interruption and times") var rules: PolicyOptions

    @OptionGroup(title: "Renderers") var renderers: RendererPolicyOptions

    @OptionGroup(title: "Caps, quiet windows and the queue") var restraint: RestraintOptions

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] {
        if let group { return [group] }
        // The standard input is read once, when the policy is sent.
        guard wholePolicy != "-", let policy = try? givenPolicy() else { return [] }
        return [policy.group]
    }

    /// Whether the options give a rule.
    private var hasRules: Bool { optionPolicy(of: "") != GroupPolicy() }

    func validate() throws {
        if wholePolicy != nil, hasRules {
            throw ValidationError("Give the rules as options or with --policy, not both.")
        }
    }

    func checkArguments() throws(Failure) {
        guard wholePolicy == nil else { return }
        if group == nil {
            throw Failure("give a group or pattern, or a --policy that contains one", .validationFailure)
        }
        if !hasRules, !replace {
            throw Failure(
                "give a rule to change; `popupctl policy show` prints the policy in force", .validationFailure)
        }
    }

    func send(_ admin: AdminClient) async throws -> String {
        let policy = try await policy(admin)
        try await admin.setPolicy(policy)
        return policy.group
    }

    func run(_ admin: AdminClient) async throws {
        let group = try await send(admin)
        guard broker.json else { return Terminal.print("\(group.onOneLine): policy set") }
        try await printPolicy(inForceFor: group, admin)
    }

    /// Returns the policy to set: that of the options over the one in force, or a whole one.
    private func policy(_ admin: AdminClient) async throws -> GroupPolicy {
        let given = try givenPolicy()
        guard wholePolicy == nil, !replace else { return given }
        return try given.over(await admin.policy(inForceFor: given.group).policy)
    }

    /// Returns the policy of the arguments alone.
    func givenPolicy() throws -> GroupPolicy {
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
        do throws(JSONFault) {
            return GroupPolicy(wire: try WireJSON.decode(text, unknown: .refused))
        } catch {
            guard error.kind == .syntax else { throw Failure("the policy is not valid: \(error)", .refused) }
            let isName = argument.first.map { $0.isLetter || "./~".contains($0) } ?? false
            let isPath = isName && !["null", "true", "false"].contains(argument)
            let advice = isPath ? "; write `@\(argument.onOneLine)` for a file" : ""
            throw Failure("the policy is not valid JSON at byte \(error.position): \(error.value)\(advice)", .refused)
        }
    }
}

struct UnsetPolicyCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset",
        abstract: "Remove the policy of a group or pattern.",
        discussion: """
            If the configuration has a policy for it, that one is in force again; otherwise that of a pattern above, or \
            the default.
            """)

    @Argument(help: "A group or a pattern (store-12/*, *).", completion: BrokerCompletion.groups)
    var group: String

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { [group] }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.unsetPolicy(group)
        return group
    }

    func run(_ admin: AdminClient) async throws {
        let wasSet = broker.json ? nil : try await isSet(at: admin)
        _ = try await send(admin)
        guard !broker.json else { return try await printPolicy(inForceFor: group, admin) }
        guard let wasSet, let policy = try await admin.policyIfAllowed(inForceFor: group) else {
            return Terminal.print("\(group.onOneLine): no client's policy is set for it now")
        }
        let source = PolicyLines(policy: policy, asked: group).source
        Terminal.print(
            "\(group.onOneLine): "
                + (wasSet
                    ? "policy removed; now \(source)" : "no client had set a policy for it; \(source) is in force"))
    }

    /// Returns whether a client has set the policy; `nil` if the user may not ask. Then the answer says
    /// only what is true in either case.
    private func isSet(at admin: AdminClient) async throws -> Bool? {
        do {
            let policy = try await admin.policy(inForceFor: group)
            return policy.source == .client && policy.policy.group == group
        } catch ClientError.refused {
            return nil
        }
    }
}

extension ChangeCommand {
    /// Prints the policy in force after an accepted command as JSON, as far as the user may ask about it.
    fileprivate func printPolicy(inForceFor group: String, _ admin: AdminClient) async throws {
        guard let policy = try await admin.policyIfAllowed(inForceFor: group) else { return printAccepted(group) }
        Terminal.print(try JSON.line(policy))
    }
}
