import Synchronization

/// The address of a client on another machine, as limits distinguish clients: an IPv4 address, or the first 64 bits of
/// an IPv6 address, since the owner of one such address has all of them.
public struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Creates an address of 4 or 16 bytes; `nil` for this machine's own, and for another number of bytes.
    public init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4 where bytes[0] != 127: self.bytes = bytes
        case 16 where bytes != [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]: self.bytes = Array(bytes[..<8])
        default: return nil
        }
    }
}

/// The counts for each address: unknown tokens within a minute, open streams and open connections.
final class ClientAddresses: Sendable {
    private struct Entry {
        var failures = 0
        var minuteBegin: ContinuousClock.Instant
        var streams = 0
        var connections = 0

        func isNeeded(at now: ContinuousClock.Instant) -> Bool {
            streams > 0 || connections > 0 || now - minuteBegin < ClientAddresses.minute
        }
    }

    /// The maximum number of addresses with failures. The failures of further addresses are not counted: a token has
    /// 256 bits and cannot be guessed.
    private static let maxAddresses = 65_536
    private static let minute: Duration = .seconds(60)
    /// The number of unknown tokens in a minute after which the address has to wait.
    static let maxFailures = 10

    private let entries = Mutex<[ClientAddress: Entry]>([:])

    /// Counts a request with an unknown token.
    ///
    /// - Throws: 429 if the address has sent too many within a minute.
    func countFailure(_ address: ClientAddress, at now: ContinuousClock.Instant = .now) throws(Problem) {
        let wait = entries.withLock { entries -> Duration? in
            if entries[address] == nil, entries.count >= Self.maxAddresses {
                entries = entries.filter { $0.value.isNeeded(at: now) }
                if entries.count >= Self.maxAddresses { return nil }
            }
            var entry = entries[address] ?? Entry(minuteBegin: now)
            if now - entry.minuteBegin >= Self.minute { (entry.failures, entry.minuteBegin) = (0, now) }
            entry.failures += 1
            entries[address] = entry
            return entry.failures > Self.maxFailures ? entry.minuteBegin + Self.minute - now : nil
        }
        guard let wait else { return }
        throw Problem(
            429, "OVERLOAD", "your address sent more than \(Self.maxFailures) unknown tokens within a minute; wait",
            retryAfterMs: UInt32((wait / .milliseconds(1)).rounded(.up)))
    }

    /// Counts one more stream of an address. Returns `false`, and counts nothing, if it has as many as the limit allows.
    func openStream(_ address: ClientAddress?, limit: Int, at now: ContinuousClock.Instant = .now) -> Bool {
        guard let address else { return true }
        return open(address, \.streams, limit: limit, at: now)
    }

    /// Counts one stream of an address less.
    func closeStream(_ address: ClientAddress?, at now: ContinuousClock.Instant = .now) {
        guard let address else { return }
        close(address, \.streams, at: now)
    }

    /// Counts one more connection of an address. Returns `false`, and counts nothing, if it has as many as the limit
    /// allows.
    func openConnection(_ address: ClientAddress, limit: Int, at now: ContinuousClock.Instant = .now) -> Bool {
        open(address, \.connections, limit: limit, at: now)
    }

    /// Counts one connection of an address less.
    func closeConnection(_ address: ClientAddress, at now: ContinuousClock.Instant = .now) {
        close(address, \.connections, at: now)
    }

    private func open(
        _ address: ClientAddress, _ count: any WritableKeyPath<Entry, Int> & Sendable, limit: Int,
        at now: ContinuousClock.Instant
    ) -> Bool {
        entries.withLock { entries in
            guard entries[address]?[keyPath: count] ?? 0 < limit else { return false }
            // The streams and connections of all addresses have limits of their own.
            entries[address, default: Entry(minuteBegin: now - Self.minute)][keyPath: count] += 1
            return true
        }
    }

    private func close(
        _ address: ClientAddress, _ count: any WritableKeyPath<Entry, Int> & Sendable, at now: ContinuousClock.Instant
    ) {
        entries.withLock { entries in
            entries[address]?[keyPath: count] -= 1
            if entries[address]?.isNeeded(at: now) == false { entries[address] = nil }
        }
    }
}
