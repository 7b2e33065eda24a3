import PopupProtocol

/// The pages, scripts and styles that the gateway serves to browsers without a token.
struct WebPages: Sendable {
    /// The hosts from which icons may be loaded.
    let imageHosts: [String]
    /// The origins whose pages may frame the overlay; `*`: all.
    let framingOrigins: Set<String>
    /// The themes of the overlay, by name.
    var themes: [String: OverlayTheme] = [:]

    /// Returns the response to a request for a page or a file; `nil` for another request.
    func respond(to request: GatewayRequest) -> GatewayResponse? {
        guard GatewayRequest.readingMethods.contains(request.method) else {
            guard Self.template(ofPath: request.path) != nil else { return nil }
            return Problem.method(request.method, ofPath: request.path, allowed: GatewayRequest.readingMethods).response
        }
        switch request.path {
        case "/": return dashboard
        case "/overlay": return overlay
        case _ where request.path.hasPrefix("/overlay/"): return overlay
        case "/popup.js": return stableFile("popup.js", request)
        case "/openapi.json": return stableFile("openapi.json", request)
        case _ where request.path.hasPrefix(Self.themesPath): return theme(request)
        case "/favicon.ico": return Self.response(204, "", "image/x-icon", cache: Self.forever)
        default:
            return WebFile.addressed[request.path].map { file in
                Self.response(200, file.text, file.contentType, cache: Self.forever)
            }
        }
    }

    /// The templates of all paths.
    static var templates: [String] { namedPaths + ["/themes/{name}", "/assets/{hash}/{name}"] }

    /// Returns the template of a path, for the metrics; `nil` for a path without a page or file.
    static func template(ofPath path: String) -> String? {
        switch path {
        case _ where namedPaths.contains(path): path
        case _ where path.hasPrefix("/overlay/"): "/overlay"
        case _ where path.hasPrefix(themesPath): "/themes/{name}"
        case _ where WebFile.addressed[path] != nil: "/assets/{hash}/{name}"
        default: nil
        }
    }

    /// The overlay page. Its settings are in its address, which only its script reads.
    private var overlay: GatewayResponse {
        let settings = imageHosts.isEmpty ? [:] : ["image-hosts": imageHosts.joined(separator: " ")]
        let ancestors = framingOrigins.isEmpty ? "'self'" : framingOrigins.sorted().joined(separator: " ")
        // OBS adds a style element to each page.
        return page(
            OverlayFile.page(settings, WebFile.linked), styles: "'self' 'unsafe-inline'", ancestors: ancestors)
    }

    private var dashboard: GatewayResponse {
        page(
            WebFile.named("dashboard.html").linking(WebFile.linked), styles: "'self'", ancestors: "'none'")
    }

    private func page(_ text: String, styles: String, ancestors: String) -> GatewayResponse {
        var response = Self.response(200, text, "text/html; charset=utf-8", cache: "no-cache")
        let images = (["'self'", "blob:"] + imageHosts).joined(separator: " ")
        response.headers["Content-Security-Policy"] = [
            "default-src 'none'", "script-src 'self'", "style-src \(styles)", "img-src \(images)",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors \(ancestors)",
        ].joined(separator: "; ")
        return response
    }

    /// Returns a file under a name that other pages link; it may change with the gateway.
    private func stableFile(_ name: String, _ request: GatewayRequest) -> GatewayResponse {
        let file = WebFile.named(name)
        return Self.tagged(file.text, hash: file.hash, file.contentType, request)
    }

    private func theme(_ request: GatewayRequest) -> GatewayResponse {
        let name = request.path.dropFirst(Self.themesPath.count)
        guard name.hasSuffix(OverlayTheme.fileSuffix),
            let theme = themes[String(name.dropLast(OverlayTheme.fileSuffix.count))]
        else { return Problem(404, "NOT_FOUND", "there is no theme `\(name)` in `overlay.themes`").response }
        return Self.tagged(theme.text, hash: theme.hash, "text/css; charset=utf-8", request)
    }

    /// Returns a file that may change under its name, unless the client has it.
    private static func tagged(
        _ text: String, hash: String, _ contentType: String, _ request: GatewayRequest
    ) -> GatewayResponse {
        let tag = "\"\(hash)\""
        let isKnown = request.hasTag(tag)
        var response = response(isKnown ? 304 : 200, isKnown ? "" : text, contentType, cache: "no-cache")
        response.headers["ETag"] = tag
        return response
    }

    private static func response(
        _ status: Int, _ text: String, _ contentType: String, cache: String
    ) -> GatewayResponse {
        var response = GatewayResponse(status: status, json: Array(text.utf8))
        response.headers["Content-Type"] = contentType
        response.headers["Cache-Control"] = cache
        response.headers["Referrer-Policy"] = "no-referrer"
        // Pages of other origins load the module of <popup-screen>, and tools the description; nothing there is secret.
        if contentType.hasPrefix("text/javascript") || contentType == "application/json" {
            response.headers["Access-Control-Allow-Origin"] = "*"
        }
        return response
    }

    private static let namedPaths = ["/", "/overlay", "/popup.js", "/openapi.json", "/favicon.ico"]
    private static let themesPath = "/themes/"
    private static let forever = "public, max-age=31536000, immutable"
}

/// A theme of the overlay: a style sheet that the operator of the gateway provides.
public struct OverlayTheme: Hashable, Sendable {
    /// The style sheet.
    public let text: String
    /// The beginning of the hash of its text.
    let hash: String

    /// Creates a theme of a style sheet.
    public init(_ text: String) {
        self.text = text
        hash = String(TokenHash(of: text).text.prefix(16))
    }

    /// The end of the names of files with themes.
    public static let fileSuffix = ".css"
}

/// A file that pages load, under its hash.
struct WebFile: Sendable {
    let name: String
    let text: String
    /// The beginning of the hash of its text.
    let hash: String

    /// The media type.
    var contentType: String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        default: "text/html; charset=utf-8"
        }
    }

    /// The path.
    var path: String { "/assets/\(hash)/\(name)" }

    /// Returns a file.
    static func named(_ name: String) -> WebFile {
        let text = WebFiles.texts[name] ?? ""
        return WebFile(name: name, text: text, hash: String(TokenHash(of: text).text.prefix(16)))
    }

    /// Returns the text with the paths of other files.
    func linking(_ paths: [String: String]) -> String {
        paths.reduce(text) { text, file in text.replacing("{{\(file.key)}}", with: file.value) }
    }

    /// The scripts and styles by path.
    static let addressed: [String: WebFile] = Dictionary(
        uniqueKeysWithValues: WebFiles.texts.keys.filter { !$0.hasSuffix(".html") }.map(named).map { ($0.path, $0) })

    /// The paths of the scripts and styles, by name.
    static let linked: [String: String] = Dictionary(
        uniqueKeysWithValues: addressed.values.map { ($0.name, $0.path) })
}

/// The overlay page, as the gateway serves it or as one file that loads nothing from a server.
public enum OverlayFile {
    /// Returns the page in one file, for OBS and kiosks.
    ///
    /// - Parameter settings: The attributes of its `<popup-screen>`, such as `src`, `group` and `token`.
    public static func text(_ settings: [String: String]) -> String {
        var text = WebFile.named("overlay.html").text
        text.replace(
            #"<link rel="stylesheet" href="{{overlay.css}}">"#,
            with: "<style>\n\(WebFile.named("overlay.css").text)</style>")
        for name in ["popup.js", "overlay.js"] {
            text.replace(
                #"<script type="module" src="{{\#(name)}}"></script>"#,
                with: "<script type=\"module\">\n\(WebFile.named(name).text)</script>")
        }
        return filled(text, settings)
    }

    /// Returns the page that loads its files from paths.
    static func page(_ settings: [String: String], _ paths: [String: String]) -> String {
        filled(WebFile.named("overlay.html").linking(paths), settings)
    }

    private static func filled(_ page: String, _ settings: [String: String]) -> String {
        let fields = settings.sorted { $0.key < $1.key }.map {
            "\(JSONText.quoted($0.key)):\(JSONText.quoted($0.value))"
        }
        var attribute = "{\(fields.joined(separator: ","))}"
        for (character, entity) in [("&", "&amp;"), ("\"", "&quot;"), ("<", "&lt;")] {
            attribute.replace(character, with: entity)
        }
        return page.replacing("{{settings}}", with: attribute)
    }
}
