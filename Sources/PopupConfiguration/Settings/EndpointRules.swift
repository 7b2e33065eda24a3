import PopupBroker

/// The rules for the endpoints of the broker's sockets.
enum EndpointRules {
    /// Returns what an endpoint must be if it cannot be bound; `nil` if it can.
    static func demand(on endpoint: String) -> String? {
        let demand =
            "must be tcp://ADDRESS:PORT (ADDRESS * for all interfaces, PORT 1 to 65535 or * for a free port) or ipc://PATH"
        if endpoint.hasPrefix("ipc://") {
            let path = endpoint.dropFirst("ipc://".count)
            if path.isEmpty { return demand }
            if path.hasPrefix("@") {
                return
                    "has no file, and so no permissions: any program of the machine could connect; use ipc:// and a path"
            }
            return path.utf8.count <= longestPath
                ? nil : "has a path of more than \(longestPath) bytes; use a shorter one"
        }
        guard endpoint.hasPrefix("tcp://") else { return demand }
        let address = endpoint.dropFirst("tcp://".count)
        guard let colon = address.lastIndex(of: ":"), colon != address.startIndex else { return demand }
        let port = address[address.index(after: colon)...]
        guard port == "*" || UInt16(port) != nil else { return demand }
        let host = address[..<colon]
        guard host == "localhost" || isHostName(host) else { return nil }
        return "has the name of a machine, where a socket is bound to an address; "
            + (host == "localhost" ? "use tcp://127.0.0.1:\(port)" : "use one of this machine, or tcp://*:\(port)")
    }

    /// Whether only this machine can reach an endpoint: a path, or an address of loopback.
    static func isLocal(_ endpoint: String) -> Bool {
        guard endpoint.hasPrefix("tcp://") else { return true }
        let address = endpoint.dropFirst("tcp://".count)
        let host = address.lastIndex(of: ":").map { address[..<$0] } ?? address
        if ["lo", "[::1]"].contains(host) { return true }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false)
        return bytes.count == 4 && bytes[0] == "127" && bytes.allSatisfy { UInt8($0) != nil }
    }

    /// Whether it is the name of a machine, `broker.example`, and not an address. One without a dot may be the name of a
    /// network interface.
    private static func isHostName(_ host: Substring) -> Bool {
        host.contains(".") && !host.hasPrefix("[")
            && host.split(separator: ".").last?.contains(where: \.isLetter) == true
    }

    /// The maximum number of bytes of a path in a socket's address of this family, without the closing zero.
    private static let longestPath = 107
}

extension BrokerEndpoints {
    /// Whether both sockets would be bound at one place.
    var collide: Bool {
        ingress == egress && !ingress.hasSuffix(":*") && !ingress.hasSuffix(":0")
    }
}
