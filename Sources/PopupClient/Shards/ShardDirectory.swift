import PopupProtocol

/// The directory of shards: the shard to which each group belongs, and the endpoints of each shard.
///
/// A shard is a whole broker, alone or with several nodes. Nothing crosses shards. Names and patterns of groups are those of
/// policies, and of those that match a group the most specific one counts. `*` names the default shard.
public struct ShardDirectory: Equatable, Sendable {
    /// The maximum number of shards.
    public static let maxShards = 64
    /// The maximum number of names and patterns of groups.
    public static let maxRules = 10_000
    /// The maximum size of a file, in bytes.
    public static let maxFileBytes = 4 << 20

    /// The endpoints of the shards, by name.
    public let shards: [String: BrokerEndpoints]
    /// The shards of groups, by name and pattern of group.
    public let groups: [String: String]
    /// The shard of all groups that no other name or pattern matches.
    public let defaultShard: String

    /// Creates a directory.
    ///
    /// - Parameters:
    ///   - shards: The endpoints of the shards, by name. A name has 1 to 64 of `A–Z a–z 0–9 _ -`.
    ///   - groups: The shards of groups, by name and pattern of group, with the default shard for `*`.
    /// - Throws: `ShardDirectoryError`.
    public init(
        shards: [String: BrokerEndpoints], groups: [String: String]
    ) throws(ShardDirectoryError) {
        let names = shards.keys.sorted()
        guard names.count <= Self.maxShards else {
            throw .init("shards", "there are \(names.count) shards; at most \(Self.maxShards) are possible")
        }
        for name in names where !Self.isShardName(name) {
            throw .init("shards", "`\(name)` is not the name of a shard; use 1 to 64 of A–Z a–z 0–9 _ -")
        }
        guard groups.count <= Self.maxRules else {
            throw .init(
                "groups",
                "there are \(groups.count) names and patterns; at most \(Self.maxRules) are possible: use patterns")
        }
        for (pattern, shard) in groups.sorted(by: { $0.key < $1.key }) {
            guard GroupPattern(pattern) != nil else {
                throw .init("groups", "\(ClientError.invalidGroup(pattern))")
            }
            guard shards[shard] != nil else { throw Self.unknown(shard, at: "groups.\(pattern)", among: names) }
        }
        guard let defaultShard = groups["*"] else {
            throw .init("groups", "`*` is missing; it names the shard of all groups that nothing else matches")
        }
        self.shards = shards
        self.groups = groups
        self.defaultShard = defaultShard
    }

    /// The names of the shards, in order.
    public var names: [String] { shards.keys.sorted() }

    /// Returns the name of the shard of a group. A text that is not the name of a group belongs to the default shard, which
    /// refuses it.
    public func shard(of group: String) -> String {
        guard GroupName(group) != nil else { return defaultShard }
        if let exact = groups[group] { return exact }
        var prefix = group[...]
        while let slash = prefix.lastIndex(of: "/") {
            prefix = prefix[..<slash]
            if let shard = groups["\(prefix)/*"] { return shard }
        }
        return defaultShard
    }

    /// Returns the names of all shards that may have groups of a name or pattern, in order.
    ///
    /// - Throws: `ClientError.invalidGroup`.
    public func shards(of pattern: String) throws(ClientError) -> [String] {
        guard let asked = GroupPattern(pattern) else { throw .invalidGroup(pattern) }
        guard asked.form != .exact else { return [shard(of: pattern)] }
        var widest = GroupPattern.every
        var found: Set<String> = []
        for (text, shard) in groups {
            guard let rule = GroupPattern(text) else { continue }
            if asked.contains(rule) { found.insert(shard) }
            if rule.contains(asked), rule > widest { widest = rule }
        }
        // The groups that only a wider pattern matches.
        if let shard = groups[widest.text] { found.insert(shard) }
        return found.sorted()
    }

    /// Returns the endpoints of a shard.
    ///
    /// - Throws: `ShardDirectoryError` if there is none of this name.
    public func endpoints(of shard: String) throws(ShardDirectoryError) -> BrokerEndpoints {
        guard let endpoints = shards[shard] else { throw Self.unknown(shard, at: nil, among: names) }
        return endpoints
    }

    /// Whether a text is the name of a shard. The name is a part of the names of files.
    private static func isShardName(_ text: String) -> Bool {
        ClientToken(text) != nil && !text.contains(".")
    }

    private static func unknown(_ shard: String, at place: String?, among names: [String]) -> ShardDirectoryError {
        let known = names.map { "`\($0)`" }.joined(separator: ", ")
        return ShardDirectoryError(place, "there is no shard `\(shard)`; there is \(known.isEmpty ? "none" : known)")
    }
}

/// The reason why a directory of shards cannot be used.
public struct ShardDirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// One sentence that says what is wrong, where, and what to do.
    public let description: String
    /// Whether the file could not be read.
    public let isUnreadable: Bool

    init(_ place: String?, _ cause: String, isUnreadable: Bool = false) {
        description = place.map { "\($0): \(cause)" } ?? cause
        self.isUnreadable = isUnreadable
    }

    /// Returns the same error with the name of the file in front.
    func inFile(_ path: String) -> ShardDirectoryError {
        ShardDirectoryError(path, description, isUnreadable: isUnreadable)
    }
}
