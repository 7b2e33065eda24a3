import PopupAccess
public import PopupGateway
import PopupProtocol
import Yams

/// The file of the access tokens.
public enum TokensFile {
    /// The maximum size in bytes, which is enough for 100,000 tokens.
    public static let largestSize = 64 << 20

    /// Returns the tokens in a text of YAML.
    ///
    /// - Parameter again: Whether the files that it names were read before.
    /// - Throws: `GatewayConfiguration.Mistake` for the first mistake.
    public static func tokens(
        yaml: String, again: Bool = false
    ) throws(GatewayConfiguration.Mistake) -> [AccessToken] {
        let root: Node?
        do { root = try Yams.compose(yaml: yaml) } catch {
            throw GatewayConfiguration.Mistake("the file of tokens is not valid YAML: \(error)")
        }
        guard let mapping = root?.mapping, mapping.count == 1, let list = mapping["tokens"]?.sequence else {
            throw GatewayConfiguration.Mistake("the file of tokens must have one key, `tokens`, with a list")
        }
        var tokens: [AccessToken] = []
        for (index, node) in list.enumerated() {
            let token = try token(node, at: "tokens[\(index)]", again: again)
            guard !tokens.contains(where: { $0.name == token.name || $0.hash == token.hash }) else {
                throw GatewayConfiguration.Mistake("tokens[\(index)] has the name or the hash of an earlier one")
            }
            tokens.append(token)
        }
        let separate = tokens.count(where: \.isSeparate)
        guard separate <= AccessToken.maxSeparate else {
            throw GatewayConfiguration.Mistake(
                "\(separate) tokens have `separate: true`; at most \(AccessToken.maxSeparate) can, since each has a "
                    + "connection of its own to the broker")
        }
        return tokens
    }

    /// Returns the text of a file with one more token, for `popup-gateway token new`.
    ///
    /// - Parameters:
    ///   - name: The name of the token.
    ///   - hash: The hash of the token.
    ///   - rights: The names of its rights, in each of the groups.
    ///   - groups: The groups and patterns of its rights.
    ///   - text: The text of the file; `nil`: there is none.
    /// - Throws: `GatewayConfiguration.Mistake` if the token cannot be in the file, or the file has a mistake.
    public static func adding(
        name: String, hash: TokenHash, rights: [String], groups: [String], to text: String?
    ) throws(GatewayConfiguration.Mistake) -> String {
        var text = text ?? ""
        if text.allSatisfy(\.isWhitespace) { text = "tokens:\n" }
        if text.last != "\n" { text += "\n" }
        text += entry(name: name, hash: hash, rights: rights, groups: groups)
        _ = try tokens(yaml: text)
        return text
    }

    /// Returns the entry of a token.
    public static func entry(name: String, hash: TokenHash, rights: [String], groups: [String]) -> String {
        let list = groups.map { "\"\($0)\"" }.joined(separator: ", ")
        let may = rights.map { "\($0): [\(list)]" }.joined(separator: ", ")
        return "  - name: \(name)\n    sha256: \(hash.text)\n    may: {\(may)}\n"
    }

    private static func token(
        _ node: Node, at path: String, again: Bool
    ) throws(GatewayConfiguration.Mistake) -> AccessToken {
        guard let fields = node.mapping else { throw GatewayConfiguration.Mistake("`\(path)` must be a mapping") }
        let known = ["name", "sha256", "may", "maxPriority", "streams", "requests", "separate", "hook"]
        if let unknown = fields.keys.first(where: { !known.contains($0.string ?? "") }) {
            throw GatewayConfiguration.Mistake(
                "`\(path).\(unknown.string ?? "")` is unknown; the keys are \(known.joined(separator: ", "))")
        }
        guard let name = fields["name"]?.string.flatMap({ UserName($0) }) else {
            throw GatewayConfiguration.Mistake("`\(path).name` must be 1 to 64 of A–Z a–z 0–9 . _ -")
        }
        var hook: Hook?
        if let node = fields["hook"] { hook = try HookEntry.hook(node, at: "\(path).hook", again: again) }
        // A sender that signs has no token, so the entry needs no hash.
        let signed = fields["sha256"] == nil ? hook?.signature.map { TokenHash(of: $0.secret) } : nil
        guard let hash = signed ?? fields["sha256"]?.string.flatMap({ TokenHash(hex: $0) }) else {
            throw GatewayConfiguration.Mistake(
                "`\(path).sha256` must be the 64 digits that `popup-gateway token new` prints")
        }
        var may: [Right: [GroupPattern]] = [:]
        for (key, value) in fields["may"]?.mapping ?? [:] {
            guard let right = key.string.flatMap({ Right(rawValue: $0) }) else {
                throw GatewayConfiguration.Mistake(
                    "`\(path).may.\(key.string ?? "")` is not a right; the rights are "
                        + Right.allCases.map(\.rawValue).joined(separator: ", "))
            }
            may[right] = try patterns(value, at: "\(path).may.\(right.rawValue)")
        }
        guard !may.isEmpty else {
            throw GatewayConfiguration.Mistake(
                "`\(path).may` gives no rights; give at least one, such as watch: [lobby]")
        }
        let maximum = try number(fields["maxPriority"], at: "\(path).maxPriority", Int(Int32.min)...Int(Int32.max))
        let streams = try number(fields["streams"], at: "\(path).streams", 0...100_000)
        let requests = try number(fields["requests"], at: "\(path).requests", 1...1_000_000)
        let separate = fields["separate"]
        guard separate == nil || separate?.bool != nil else {
            throw GatewayConfiguration.Mistake("`\(path).separate` must be true or false")
        }
        return AccessToken(
            name: name, hash: hash, may: may, maxPriority: maximum.map { Int32($0) }, streams: streams ?? 100,
            requests: requests, isSeparate: separate?.bool ?? false, hook: hook)
    }

    private static func patterns(
        _ node: Node, at path: String
    ) throws(GatewayConfiguration.Mistake) -> [GroupPattern] {
        guard let list = node.sequence, list.count > 0 else {
            throw GatewayConfiguration.Mistake("`\(path)` must be a list of group names and patterns")
        }
        var patterns: [GroupPattern] = []
        for element in list {
            guard let pattern = element.string.flatMap({ GroupPattern($0) }) else {
                throw GatewayConfiguration.Mistake(
                    "`\(path)` has `\(element.string ?? "")`, which is not a valid group or pattern")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    private static func number(
        _ node: Node?, at path: String, _ range: ClosedRange<Int>
    ) throws(GatewayConfiguration.Mistake) -> Int? {
        guard let node else { return nil }
        guard let number = node.int, range.contains(number) else {
            throw GatewayConfiguration.Mistake(
                "`\(path)` must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
