internal import Foundation
internal import GRPCCore

/// A failed call of etcd, with the reason. Whether the call was performed is not known.
struct EtcdFailure: Error, Hashable, Sendable, CustomStringConvertible {
    var endpoint: EtcdEndpoint
    var code: RPCError.Code
    var message: String

    var description: String { "\(endpoint): \(message.isEmpty ? "\(code)" : message)" }
}

extension EtcdFailure {
    /// The words of the gRPC library for a connection that cannot be used, before those that say why.
    private static let unusable = "Channel is in a transient failure state and 'wait for ready' isn't enabled. "
    /// The words of the gRPC library for a connection that ended before anything was said.
    private static let ended = "before completing the HTTP/2 connection preface"

    /// Creates the failure of a call, in words for operators. Why there is no connection is the cause of the library's error.
    init(_ error: RPCError, at endpoint: EtcdEndpoint) {
        self.init(
            endpoint: endpoint, code: error.code,
            message: Self.message(error.message, cause: error.cause.map { "\($0)" }, at: endpoint))
    }

    /// Returns the message for operators: one line, without a period.
    ///
    /// - Parameters:
    ///   - words: The message of the gRPC library.
    ///   - cause: The cause that it names; `nil` for none.
    ///   - endpoint: The member that was asked.
    static func message(_ words: String, cause: String?, at endpoint: EtcdEndpoint) -> String {
        if let cause, let reason = reason(ofTLS: cause, at: endpoint) ?? reason(ofSystem: cause) { return reason }
        if words.contains(ended) {
            return "it ends each connection before it says anything"
                + (endpoint.isSecure ? "" : ": if it speaks TLS, give https")
        }
        if words.contains("Failed to resolve") { return "the name \(endpoint.host) is not known" }
        var line = words.hasPrefix(unusable) ? String(words.dropFirst(unusable.count)) : words
        while line.last == "." { line.removeLast() }
        if let cause { line += line.isEmpty ? cause : ": \(cause)" }
        return line.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Returns for which reason there is no TLS; `nil` if the cause is another one.
    private static func reason(ofTLS cause: String, at endpoint: EtcdEndpoint) -> String? {
        if cause.contains("failedToValidateHostname") { return "its certificate is not for \(endpoint.host)" }
        if cause.contains("EOF during handshake") {
            return "it ends the connection during the TLS handshake: if it does not speak TLS, give http"
        }
        // BoringSSL names an error, then the place in its source.
        guard let library = cause.firstRange(of: "OPENSSL_internal:") else { return nil }
        let name = String(cause[library.upperBound...].prefix { $0 != " " })
        return switch name {
        case "CERTIFICATE_VERIFY_FAILED": "its certificate has expired, or is not of the given CA"
        case "WRONG_VERSION_NUMBER": "it does not speak TLS: give http if that is meant"
        case _ where name.contains("_ALERT_"):
            "it refuses the given certificate, which may have expired, or is not of its CA (\(name))"
        default: "TLS fails with \(name)"
        }
    }

    /// Returns the error of the system that a cause names; `nil` if it names none.
    private static func reason(ofSystem cause: String) -> String? {
        guard let number = cause.firstRange(of: "(errno: ") else { return nil }
        return Int32(cause[number.upperBound...].prefix(while: \.isNumber)).map { String(cString: strerror($0)) }
    }
}
