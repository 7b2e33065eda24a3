import ArgumentParser
import PopupClient

/// The words that a shell offers and only a broker knows: its groups, its live popups and its suspensions.
enum BrokerCompletion {
    /// The known groups.
    static let groups = CompletionKind.custom { (words: [String], _: Int, prefix: String) async in
        await offers(in: words, beginningWith: prefix) { admin in
            try await groups(beginningWith: prefix, of: admin)
        }
    }

    /// Returns the page of groups in which those with a prefix begin. Groups are in byte order of their names: of those
    /// before the prefix there may be pages, also where a `/` is next, because `-` and `.` come before it.
    private static func groups(beginningWith prefix: String, of admin: AdminClient) async throws -> [String] {
        let pattern = prefix.lastIndex(of: "/").map { "\(prefix[...$0])*" }
        var last = GroupName(String(prefix.dropLast()))?.text
        let deadline = ContinuousClock.now + patience.duration
        while true {
            let page = try await admin.groups(of: pattern, after: last)
            let names = page.groups.map(\.group)
            guard page.hasMore, let end = names.last, end < prefix, .now < deadline else { return names }
            last = end
        }
    }

    /// The live popups.
    static let popups = CompletionKind.custom { (words: [String], _: Int, prefix: String) async in
        await offers(in: words, beginningWith: prefix) { admin in
            try await admin.list().popups.map(\.id)
        }
    }

    /// The tokens of the suspensions in force.
    static let tokens = CompletionKind.custom { (words: [String], _: Int, prefix: String) async in
        await offers(in: words, beginningWith: prefix) { admin in
            try await admin.suspensions().map(\.token)
        }
    }

    /// The time that a user waits for a broker that does not answer.
    private static let patience = TimeArgument(milliseconds: 1000)

    /// Returns the answers of the broker that the command line or the environment names. They are empty if there is no broker:
    /// a completion cannot report an error.
    private static func offers(
        in words: [String], beginningWith prefix: String, _ ask: (AdminClient) async throws -> [String]
    ) async -> [String] {
        guard var connection = try? ConnectionOptions.parse(options(in: words)) else { return [] }
        connection.timeout = patience
        guard let endpoints = try? connection.endpoints(for: ["*"]),
            let admin = try? connection.connect(.confirmed, to: endpoints)
        else { return [] }
        let names = try? await ask(admin)
        await admin.close()
        let offers = (names ?? []).filter { $0.hasPrefix(prefix) }
        // To zsh, a colon begins a description.
        return CompletionShell.requesting == .zsh ? offers.map { $0.replacing(":", with: "\\:") } : offers
    }

    /// Returns the options among the words that name the broker.
    private static func options(in words: [String]) -> [String] {
        let names = ["--ingress", "--egress", "--key", "--server-key", "--shards", "--shard"]
        var options: [String] = []
        for (index, word) in words.enumerated() {
            if names.contains(word), index + 1 < words.count {
                options += [word, words[index + 1]]
            } else if names.contains(where: { word.hasPrefix("\($0)=") }) {
                options.append(word)
            }
        }
        return options
    }
}
