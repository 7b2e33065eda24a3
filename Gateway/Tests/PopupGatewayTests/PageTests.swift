import Testing

@testable import PopupGateway

@Suite("Pages")
struct PageTests {
    private let pages = WebPages(imageHosts: ["icons.example", "images.example:8443"], framingOrigins: [])

    private func get(_ path: String, headers: [String: String] = [:]) -> GatewayResponse? {
        pages.respond(to: GatewayRequest("GET", path, headers: headers))
    }

    private func text(_ response: GatewayResponse?) -> String {
        String(decoding: response?.bytes ?? [], as: UTF8.self)
    }

    @Test("The overlay allows scripts of the gateway alone, and loads each of its files for ever")
    func overlay() throws {
        for path in ["/overlay?group=lobby", "/overlay/lobby/left?theme=dark"] {
            let response = try #require(get(path))
            let policy = try #require(response.headers["Content-Security-Policy"])
            #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
            #expect(policy.contains("img-src 'self' blob: icons.example images.example:8443;"))
            // A page compares the host of an icon's address with these.
            #expect(
                text(response).contains(
                    #"{&quot;image-hosts&quot;:&quot;icons.example images.example:8443&quot;}"#))
            #expect(policy.contains("frame-ancestors 'self'"))
            #expect(response.headers["Cache-Control"] == "no-cache")
            let links = text(response).matches(of: /(?:href|src)="([^"]+)"/).map { String($0.1) }
            #expect(links.count == 3)
            for link in links {
                let file = try #require(get(link), "\(link)")
                #expect(file.status == 200 && !file.bytes.isEmpty)
                #expect(file.headers["Cache-Control"]?.contains("immutable") == true)
            }
            #expect(!text(response).contains("{{"))
        }
    }

    @Test("The dashboard is framed by nobody, and its styles are files")
    func dashboard() throws {
        let response = try #require(get("/"))
        let policy = try #require(response.headers["Content-Security-Policy"])
        #expect(policy.contains("style-src 'self';") && policy.hasSuffix("frame-ancestors 'none'"))
        for link in text(response).matches(of: /(?:href|src)="([^"]+)"/).map({ String($0.1) }) {
            #expect(get(link)?.status == 200, "\(link)")
        }
        #expect(!text(response).contains("{{"))
        let script = WebFile.named("dashboard.js").text
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            #expect(!script.contains(word), "\(word)")
        }
    }

    @Test("Only listed origins frame the overlay")
    func framing() throws {
        let pages = WebPages(imageHosts: [], framingOrigins: ["https://b.example", "https://a.example"])
        let policy = pages.respond(to: GatewayRequest("GET", "/overlay"))?.headers["Content-Security-Policy"]
        #expect(policy?.hasSuffix("frame-ancestors https://a.example https://b.example") == true)
    }

    @Test("The module of popup-screen has a tag, and pages of other origins may load it")
    func module() throws {
        let response = try #require(get("/popup.js"))
        #expect(response.headers["Access-Control-Allow-Origin"] == "*")
        let tag = try #require(response.headers["ETag"])
        #expect(get("/popup.js", headers: ["if-none-match": tag])?.status == 304)
        #expect(get("/popup.js", headers: ["if-none-match": "\"other\""])?.status == 200)
    }

    @Test("A theme has a tag, and other names there are not found")
    func themes() throws {
        var pages = self.pages
        pages.themes = ["night": OverlayTheme("popup-screen { --popup-back: #111; }")]
        func get(_ path: String, _ headers: [String: String] = [:]) -> GatewayResponse? {
            pages.respond(to: GatewayRequest("GET", path, headers: headers))
        }
        let response = try #require(get("/themes/night.css"))
        #expect(response.status == 200 && text(response) == "popup-screen { --popup-back: #111; }")
        #expect(response.headers["Content-Type"] == "text/css; charset=utf-8")
        #expect(response.headers["Cache-Control"] == "no-cache")
        let tag = try #require(response.headers["ETag"])
        #expect(get("/themes/night.css", ["if-none-match": tag])?.status == 304)
        for path in ["/themes/", "/themes/night", "/themes/day.css", "/themes/.css", "/themes/a/night.css"] {
            #expect(get(path)?.status == 404, "\(path)")
        }
    }

    @Test("What is not a page is left to the routes")
    func others() {
        for path in ["/v1/stats", "/assets/0123456789abcdef/popup.js", "/overlays"] { #expect(get(path) == nil) }
        #expect(pages.respond(to: GatewayRequest("POST", "/overlays")) == nil)
    }

    @Test("A page has no other methods than GET and HEAD", arguments: ["/", "/overlay", "/overlay/lobby", "/popup.js"])
    func methods(path: String) throws {
        for method in ["POST", "OPTIONS"] {
            let response = try #require(pages.respond(to: GatewayRequest(method, path)))
            #expect(response.status == 405 && response.headers["Allow"] == "GET, HEAD")
            #expect(text(response).contains("METHOD_NOT_ALLOWED"))
        }
    }

    @Test(
        "Metrics name pages and files by a template",
        arguments: [
            ("/", "/"), ("/overlay", "/overlay"), ("/overlay/a/b", "/overlay"), ("/popup.js", "/popup.js"),
            ("/themes/x.css", "/themes/{name}"), ("/wp-login.php", nil), ("/assets/0/popup.js", nil),
        ])
    func templates(path: String, template: String?) {
        #expect(WebPages.template(ofPath: path) == template)
    }

    @Test("A client that has one of several versions, or any, has this one")
    func tags() throws {
        let tag = try #require(get("/popup.js")?.headers["ETag"])
        for known in ["\"other\", \(tag)", "W/\(tag)", "*", "\(tag) , \"other\""] {
            #expect(get("/popup.js", headers: ["if-none-match": known])?.status == 304, "\(known)")
        }
        for unknown in ["\"other\", W/\"another\"", "", ","] {
            #expect(get("/popup.js", headers: ["if-none-match": unknown])?.status == 200, "\(unknown)")
        }
    }

    @Test("Scripts and styles of the overlay have at most 40 KiB, and write no markup")
    func size() {
        let files = ["popup.js", "overlay.js", "overlay.css"].map { WebFile.named($0).text }
        #expect(files.map(\.utf8.count).reduce(0, +) <= 40 * 1024)
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            #expect(!files.contains { $0.contains(word) }, "\(word)")
        }
    }

    @Test("The page in one file links nothing, and its settings cannot end it")
    func file() throws {
        let text = OverlayFile.text(["group": "lobby", "token": "\"><script>x</script>"])
        #expect(!text.contains("{{") && !text.contains("href=") && !text.contains(" src="))
        #expect(text.contains("customElements.define(\"popup-screen\""))
        #expect(!text.contains("<script>x"))
        // What the command writes into it, the page reads.
        let script = WebFile.named("overlay.js").text
        let list = try #require(script.firstMatch(of: /\["[^\]]*"image-hosts"[^\]]*\]/)).output
        #expect(
            Set(list.matches(of: /"([^"]*)"/).map { String($0.1) }) == [
                "group", "src", "mode", "theme", "corner", "token", "client", "offer", "extend", "image-hosts",
            ])
    }
}
