internal import Foundation

/// The settings of a log in etcd: the endpoints, how to connect to them, and the shard.
public struct EtcdSettings: Hashable, Sendable {
    /// The files of TLS with client certificates, in PEM.
    public struct Certificates: Hashable, Sendable {
        /// The certificates of the authorities that etcd's certificate is trusted by.
        public var authorities: String
        /// The client's certificate.
        public var certificate: String
        /// The client's private key.
        public var key: String

        /// Creates the names of the files.
        public init(authorities: String, certificate: String, key: String) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }

    /// The members, in the order in which they are tried.
    public var endpoints: [EtcdEndpoint]
    /// The certificates, if the endpoints begin with `https`.
    public var certificates: Certificates?
    /// The shard.
    public var shard: String
    /// The name of the node, which others see as the holder of the claim.
    public var node: String
    /// The version of the node's program; `nil`: it leaves no snapshot to the nodes of older versions.
    public var version: String?
    /// The time for which a claim lasts without a renewal, in seconds.
    public var leaseSeconds: Int
    /// The time limit of a request that writes the head, or reads entries or chunks, with all its attempts.
    public var writeDeadline: Duration = .seconds(2)
    /// The time limit of any other request, with all its attempts.
    public var deadline: Duration = .seconds(1)

    /// Creates settings.
    ///
    /// - Throws: `EtcdProblem.setting` with what cannot be used.
    public init(
        endpoints: [String], certificates: Certificates? = nil, shard: String, node: String, version: String? = nil,
        leaseSeconds: Int = 4
    ) throws(EtcdProblem) {
        guard !endpoints.isEmpty else { throw .setting("there is no endpoint of etcd") }
        var parsed: [EtcdEndpoint] = []
        for endpoint in endpoints { parsed.append(try EtcdEndpoint(endpoint)) }
        guard Set(parsed.map(\.isSecure)).count == 1 else {
            throw .setting("the endpoints of etcd are partly http and partly https")
        }
        guard parsed[0].isSecure == (certificates != nil) else {
            throw .setting(
                parsed[0].isSecure
                    ? "https needs a CA, a certificate and a key" : "a certificate needs endpoints with https")
        }
        guard (1...64).contains(shard.utf8.count), shard.utf8.allSatisfy(Self.isOfName) else {
            throw .setting("“\(shard)” is not a valid shard name: 1 to 64 letters, digits, “-”, “_”, “.”")
        }
        guard (2...60).contains(leaseSeconds) else { throw .setting("a lease lasts 2 to 60 s, not \(leaseSeconds)") }
        self.endpoints = parsed
        self.certificates = certificates
        self.shard = shard
        self.node = node
        self.version = version
        self.leaseSeconds = leaseSeconds
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension EtcdSettings.Certificates {
    /// Checks that the files are there, and are what they should be.
    ///
    /// - Throws: `EtcdProblem.setting`.
    func check() throws(EtcdProblem) {
        for (name, part) in [(authorities, "CERTIFICATE"), (certificate, "CERTIFICATE"), (key, "PRIVATE KEY")] {
            guard access(name, R_OK) == 0 else {
                throw .setting("\(name) cannot be read: \(String(cString: strerror(errno)))")
            }
            let content = FileManager.default.contents(atPath: name) ?? Data()
            guard String(decoding: content, as: UTF8.self).contains("\(part)-----") else {
                throw .setting("\(name) contains no \(part.lowercased()) as PEM")
            }
        }
    }

    /// Returns why files that were checked cannot be used, from the error of TLS.
    func problem(_ error: any Error) -> EtcdProblem {
        let text = "\(error)"
        if text.contains("failedToLoadPrivateKey") {
            return .setting("\(key) is damaged, or is not the key of \(certificate)")
        }
        if text.contains("failedToLoadCertificate") { return .setting("\(certificate) or \(authorities) is damaged") }
        return .setting("the certificates cannot be used: \(text)")
    }
}

/// The address of a member of etcd.
public struct EtcdEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// Whether TLS is spoken.
    public let isSecure: Bool
    /// A name, or an address.
    public let host: String
    /// The port.
    public let port: Int

    /// Creates the address that a text names, such as `http://10.0.0.1:2379`.
    ///
    /// - Throws: `EtcdProblem.setting` if it is no address.
    public init(_ text: String) throws(EtcdProblem) {
        let problem = EtcdProblem.setting("“\(text)” is not an endpoint of etcd, such as http://10.0.0.1:2379")
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { throw problem }
        let address = text.dropFirst(isSecure ? 8 : 7)
        guard let colon = address.lastIndex(of: ":"), colon > address.startIndex,
            let port = UInt16(address[address.index(after: colon)...]), port > 0
        else { throw problem }
        self.isSecure = isSecure
        self.port = Int(port)
        let host = address[..<colon]
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
    }

    /// The address as text.
    public var description: String {
        "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
}

/// The limits of the log, and those that it requires of etcd.
enum EtcdLimits {
    /// The largest entry: a batch of at most 1 MiB and its header. etcd accepts 1.5 MiB a request by default.
    static let entryBytes = 1 << 20 + 48
    /// The size of a chunk of a snapshot.
    static let chunkBytes = 256 << 10
    /// The time for which nobody else makes a snapshot after a sign of life of its maker, in seconds. A chunk is written, and
    /// the pause after it over, in less.
    static let makerSeconds: Int64 = 10
    /// The greatest share of the time in which chunks are written: one part of so many.
    static let chunkShare = 4
    /// The greatest number of chunks that are read at once.
    static let chunksPerPage = 16
    /// The greatest number of entries that are read at once.
    static let entriesPerPage = 16
    /// The largest answer; a page of the largest entries is smaller.
    static let answerBytes = 24 << 20
    /// The entries that one request removes.
    static let entriesPerDrop: UInt64 = 1000
    /// The time for which a node is listed without a sign of life, in seconds.
    static let nodeSeconds: Int64 = 10
    /// The greatest number of nodes that are listed.
    static let listedNodes: Int64 = 100
    /// The oldest version of etcd, as its major and minor number.
    static let version = (3, 4)

    /// Whether a version of etcd will do.
    static func isEnough(_ version: String) -> Bool {
        let numbers = version.split(separator: ".").prefix(2).compactMap { Int($0) }
        return numbers.count == 2 && (numbers[0], numbers[1]) >= self.version
    }
}
