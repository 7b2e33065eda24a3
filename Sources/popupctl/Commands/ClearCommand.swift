import ArgumentParser
import PopupClient

struct ClearCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Close all selected popups (CLEARED).",
        discussion: """
              popupctl clear lobby
              popupctl clear 'store-12/*' --waiting --priority-below 5
              popupctl clear '*'
              popupctl clear --shards shards.json --all-shards '*'

            With --all-shards, each shard of the directory gets a command of its own, one after another. The commands are \
            not atomic together: if one fails, the others are carried out all the same.
            """)

    @OptionGroup var selection: SelectorOptions

    @Flag(help: "Send the command to each shard of the directory (--shards).")
    var allShards = false

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    var groups: [String] { selection.groups }

    func validate() throws {
        if allShards, connection.shard != nil { throw ValidationError("Give --all-shards or --shard, not both.") }
    }

    func checkArguments() throws(Failure) {
        if selection.selector == PopupSelector() {
            throw Failure(
                "select what to clear: a group, a pattern ('*' for all groups), or another selection",
                .validationFailure)
        }
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.clear(selection.selector)
        return selection.selector.group.isEmpty ? "clear" : selection.selector.group
    }

    func run() async throws {
        guard allShards else { return try await run(at: nil, of: nil) }
        guard let directory = try connection.directory() else {
            throw Failure(
                "--all-shards needs the directory of shards: name its file with --shards", .validationFailure)
        }
        var failures: [Failure] = []
        for shard in directory.names {
            do {
                try await run(at: try connection.endpoints(of: shard, in: directory), of: shard)
            } catch let error as ClientError {
                failures.append(Failure(error).at(shard))
            } catch let failure as Failure {
                failures.append(failure.at(shard))
            }
        }
        guard let last = failures.popLast() else { return }
        for failure in failures { StandardError.write("popupctl: \(failure.message)") }
        throw last
    }

    /// Sends the command to one broker.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints of a shard; `nil`: those of the options.
    ///   - shard: The name of the shard for the output.
    private func run(at endpoints: BrokerEndpoints?, of shard: String?) async throws {
        try await withAdminClient(acks.ack ? .confirmed : .bestEffort, at: endpoints) { admin in
            guard acks.ack else {
                return printSent(try await send(admin), to: shard)
            }
            try await run(admin, of: shard)
        }
    }

    func run(_ admin: AdminClient) async throws {
        try await run(admin, of: nil)
    }

    private func run(_ admin: AdminClient, of shard: String?) async throws {
        let selector = selection.selector
        let selected = try await admin.count(selector)
        _ = try await send(admin)
        let rest = try await admin.count(selector)
        let cleared = max(0, selected - rest)
        if broker.json {
            Terminal.print(JSON.line(report: .cleared(cleared, left: rest, shard: shard)))
        } else {
            let place = shard.map { "\($0): " } ?? ""
            Terminal.print(place + Words.cleared(cleared, left: rest))
        }
    }
}
