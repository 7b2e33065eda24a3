internal import Foundation
internal import PopupJournal

/// The keys of a shard. Indices are written as 16 hexadecimal digits, so that the order of keys is that of indices.
struct EtcdKeys {
    /// The beginning of all keys of the shard.
    let prefix: String

    init(shard: String) {
        prefix = "/popup-broker/v1/\(shard)/"
    }

    /// The prefix of the keys that nodes watch. Snapshots are not below it.
    var live: Data { Data("\(prefix)live/".utf8) }
    var head: Data { Data("\(prefix)live/head".utf8) }
    var claim: Data { Data("\(prefix)live/claim".utf8) }
    var configuration: Data { Data("\(prefix)live/config".utf8) }
    /// The epoch of the tenure that is to end.
    var handOver: Data { Data("\(prefix)live/hand-over".utf8) }
    /// The level that the log is to have.
    var level: Data { Data("\(prefix)live/level".utf8) }
    var nodes: Data { Data("\(prefix)live/nodes/".utf8) }
    var snapshots: Data { Data("\(prefix)snap/".utf8) }
    /// The process that writes a snapshot now.
    var maker: Data { Data("\(prefix)snap/maker".utf8) }

    func node(_ name: String) -> Data { nodes + Data(name.utf8) }
    func entry(_ index: UInt64) -> Data { Data("\(prefix)live/log/\(Self.digits(index))".utf8) }
    func snapshot(_ index: UInt64) -> Data { Data("\(prefix)snap/\(Self.digits(index))/".utf8) }
    func manifest(_ index: UInt64) -> Data { snapshot(index) + Data("manifest".utf8) }

    func chunk(_ number: UInt32, of index: UInt64, by maker: LogOwner) -> Data {
        let decimals = String(number)
        let padded = String(repeating: "0", count: max(0, 6 - decimals.count)) + decimals
        return snapshot(index) + Data("\(Self.digits(maker.high))\(Self.digits(maker.low))/\(padded)".utf8)
    }

    /// Whether a key is that of an entry.
    func isEntry(_ key: Data) -> Bool { key.starts(with: Data("\(prefix)live/log/".utf8)) }

    /// Returns the index of an entry that has a key; `nil` for another key.
    func indexOfEntry(_ key: Data) -> UInt64? {
        let index = UInt64(String(decoding: key.suffix(16), as: UTF8.self), radix: 16)
        return index.flatMap { entry($0) == key ? $0 : nil }
    }

    /// Returns the index of a snapshot whose manifest has a key; `nil` for another key.
    func indexOfManifest(_ key: Data) -> UInt64? {
        let text = String(decoding: key.dropFirst(snapshots.count), as: UTF8.self)
        guard key.starts(with: snapshots), text.utf8.count == 25, text.hasSuffix("/manifest") else { return nil }
        return UInt64(text.prefix(16), radix: 16)
    }

    /// Returns the end of the range of all keys that begin with `prefix`.
    static func end(of prefix: Data) -> Data {
        // All prefixes end with a letter or “/”: the last byte can be counted.
        var end = prefix
        end[end.endIndex - 1] += 1
        return end
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
