internal import PopupAccess
import PopupProtocol

/// The cookie that holds the access token of a page of the gateway. Scripts cannot read it.
///
/// A browser adds a cookie to requests that other pages make, too. So a request that changes something counts only if it
/// comes from the gateway's own pages.
enum SessionCookie {
    /// Returns the secret in a request; `nil` if there is none, or if another site may have made the request.
    static func secret(in request: GatewayRequest) -> String? {
        guard let cookies = request.headers["cookie"] else { return nil }
        let isOwn = request.headers["sec-fetch-site"] == "same-origin" || request.headers["x-popup"] == "1"
        guard isOwn || GatewayRequest.readingMethods.contains(request.method) else { return nil }
        for cookie in cookies.split(separator: ";") {
            let cookie = cookie.drop { $0 == " " }
            for name in [secureName, plainName] where cookie.hasPrefix(name + "=") {
                return String(cookie.dropFirst(name.count + 1))
            }
        }
        return nil
    }

    /// Returns the answer that sets the cookie.
    ///
    /// - Throws: 422 for a secret that no cookie can hold.
    static func setting(_ secret: String, in request: GatewayRequest) throws(Problem) -> GatewayResponse {
        guard secret.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"\",;\\".utf8.contains($0) }) else {
            throw Problem(422, "INVALID", "the token has characters that a cookie cannot hold")
        }
        // A proxy with TLS says so, or else the page's origin.
        let isSecure = request.isSecure || request.headers["origin"]?.hasPrefix("https://") == true
        return response("\(isSecure ? secureName : plainName)=\(secret)\(attributes)\(isSecure ? secure : "")")
    }

    /// The answer that removes the cookie, with and without TLS.
    static var removal: GatewayResponse {
        response("\(plainName)=\(attributes); Max-Age=0", "\(secureName)=\(attributes)\(secure); Max-Age=0")
    }

    private static func response(_ cookies: String...) -> GatewayResponse {
        var response = GatewayResponse(status: 204, json: [])
        response.cookies = cookies
        return response
    }

    private static let plainName = "popup"
    private static let secureName = "__Host-popup"
    private static let attributes = "; HttpOnly; SameSite=Strict; Path=/"
    private static let secure = "; Secure"
}

extension Call {
    /// The answer with the name of the token and the patterns of each right that it has.
    var rights: GatewayResponse {
        let fields = Right.allCases.compactMap { right -> String? in
            let groups = token.access.grants.filter { $0.rights.contains(right) }.flatMap(\.groups)
            guard !groups.isEmpty else { return nil }
            return "\"\(right.rawValue)\":[\(groups.map { JSONText.quoted($0.text) }.joined(separator: ","))]"
        }
        let json = "{\"name\":\(JSONText.quoted(token.name.text)),\"rights\":{\(fields.joined(separator: ","))}}"
        return GatewayResponse(json: Array(json.utf8))
    }

    /// Answers with a cookie that holds the token of the request.
    func sessionCookie() throws(Problem) -> GatewayResponse {
        guard let secret = AccessToken.secret(authorization: request.headers["authorization"]) else {
            throw Problem(401, "UNAUTHENTICATED", "send the token as `Authorization: Bearer TOKEN`")
        }
        return try SessionCookie.setting(secret, in: request)
    }
}
