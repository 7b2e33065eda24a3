import Foundation
import PopupProtocol

extension ShardDirectory {
    /// The environment variable for the file of the directory.
    public static let variable = "POPUP_BROKER_SHARDS"

    /// Reads a directory from a file in JSON: `shards`, for each its `ingress`, `egress`, and perhaps `keyFile` and
    /// `serverKeyFile`; and `groups`, for each name or pattern its shard.
    ///
    /// - Throws: `ShardDirectoryError`.
    public init(file path: String) throws(ShardDirectoryError) {
        do throws(ShardDirectoryError) {
            try self.init(json: Self.read(path))
        } catch {
            throw error.inFile(path)
        }
    }

    /// Creates the directory of a file's content.
    init(json: Data) throws(ShardDirectoryError) {
        let value: AnyJSON
        do throws(JSONFault) {
            value = try AnyJSON([UInt8](json))
        } catch {
            throw ShardDirectoryError(nil, "is not JSON; check it with `python3 -m json.tool`")
        }
        let file = try Self.object(value, at: nil, members: ["shards", "groups"])
        var shards: [String: BrokerEndpoints] = [:]
        for (name, value) in try Self.object(file["shards"], at: "shards").sorted(by: { $0.key < $1.key }) {
            let place = "shards.\(name)"
            let shard = try Self.object(
                value, at: place, members: ["ingress", "egress", "keyFile", "serverKeyFile"])
            shards[name] = BrokerEndpoints(
                ingress: try Self.endpoints(shard["ingress"], at: "\(place).ingress"),
                egress: try Self.endpoints(shard["egress"], at: "\(place).egress"),
                keyFile: try shard["keyFile"].map { value throws(ShardDirectoryError) in
                    try Self.text(value, at: "\(place).keyFile")
                },
                serverKeyFile: try shard["serverKeyFile"].map { value throws(ShardDirectoryError) in
                    try Self.text(value, at: "\(place).serverKeyFile")
                })
        }
        var groups: [String: String] = [:]
        for (pattern, shard) in try Self.object(file["groups"], at: "groups") {
            groups[pattern] = try Self.text(shard, at: "groups.\(pattern)")
        }
        try self.init(shards: shards, groups: groups)
    }

    private static func read(_ path: String) throws(ShardDirectoryError) -> Data {
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            let bytes = try file.read(upToCount: maxFileBytes + 1) ?? Data()
            guard bytes.count <= maxFileBytes else {
                throw ShardDirectoryError(nil, "has more than \(maxFileBytes) bytes; use patterns of groups")
            }
            return bytes
        } catch let error as ShardDirectoryError {
            throw error
        } catch {
            throw ShardDirectoryError(nil, "cannot be read; check its name and permissions", isUnreadable: true)
        }
    }

    private static func object(
        _ value: AnyJSON?, at place: String?, members: [String]? = nil
    ) throws(ShardDirectoryError) -> [String: AnyJSON] {
        guard let value else { throw ShardDirectoryError(place, "is missing") }
        guard case .object(let object) = value else { throw ShardDirectoryError(place, "must be an object") }
        if let members, let wrong = object.keys.sorted().first(where: { !members.contains($0) }) {
            let known = members.map { "`\($0)`" }.joined(separator: ", ")
            throw ShardDirectoryError(place, "there is no member `\(wrong)`; there is \(known)")
        }
        return object
    }

    /// Returns a text, or the texts of a list separated by commas.
    private static func endpoints(_ value: AnyJSON?, at place: String) throws(ShardDirectoryError) -> String {
        guard let value else { throw ShardDirectoryError(place, "is missing") }
        guard case .list(let list) = value else { return try text(value, at: place) }
        guard !list.isEmpty else { throw ShardDirectoryError(place, "has no endpoint") }
        var texts: [String] = []
        for (index, element) in list.enumerated() { texts.append(try text(element, at: "\(place)[\(index)]")) }
        return texts.joined(separator: ",")
    }

    private static func text(_ value: AnyJSON, at place: String) throws(ShardDirectoryError) -> String {
        guard case .text(let text) = value, !text.isEmpty else {
            throw ShardDirectoryError(place, "must be a text that is not empty")
        }
        return text
    }
}
