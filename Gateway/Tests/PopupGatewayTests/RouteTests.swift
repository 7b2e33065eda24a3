import PopupAccess
import PopupClient
import Testing

@testable import PopupGateway

@Suite("Routes")
struct RouteTests {
    @Test("A group is the rest of the path")
    func group() throws {
        #expect(try Route(method: "GET", path: "/v1/state/a/b/c") == .state(group: "a/b/c"))
        #expect(try Route(method: "POST", path: "/v1/show/lobby") == .showText(group: "lobby"))
        // What need not be encoded may be.
        #expect(try Route(method: "GET", path: "/v1/state/a%2Db/%63") == .state(group: "a-b/c"))
        #expect(try Route(method: "GET", path: "/v1/state/a%zz") == .state(group: "a%zz"))
    }

    @Test("An id is one segment, decoded")
    func id() throws {
        #expect(try Route(method: "PUT", path: "/v1/popups/a%2Fb%20c") == .putPopup(id: "a/b c"))
        #expect(try Route(method: "POST", path: "/v1/popups/x/dismiss") == .dismiss(id: "x"))
    }

    @Test("Another path is 404, another method 405 with what is allowed, a broken id 400")
    func mistakes() {
        let status = { (method: String, path: String) in
            do throws(Problem) {
                _ = try Route(method: method, path: path)
                return 200
            } catch {
                return error.status
            }
        }
        #expect(status("GET", "/v2/popups") == 404)
        #expect(status("GET", "/v1/popups/a/b/c") == 404)
        #expect(status("PATCH", "/v1/popups") == 405)
        #expect(status("GET", "/v1/popups/%zz") == 400)
        let refusal = #expect(throws: Problem.self) { try Route(method: "DELETE", path: "/v1/stream") }
        #expect(refusal?.response.headers["Allow"] == "GET")
    }

    @Test(
        "A request is counted under its route, whatever the method",
        arguments: [
            ("DELETE", "/v1/stream", 405, #"route="/v1/stream",method="DELETE",code="405""#),
            ("HEAD", "/v1/popups/a", 405, #"route="/v1/popups/{id}",method="HEAD",code="405""#),
            ("BREW", "/v1/show/a/b", 405, #"route="/v1/show/{group}",method="other",code="405""#),
            ("GET", "/v1/policy", 200, #"route="/v1/policy",method="GET",code="200""#),
            ("GET", "/v1/nowhere", 404, #"route="other",method="GET",code="404""#),
        ])
    func counted(method: String, path: String, status: Int, labels: String) {
        let metrics = GatewayMetrics()
        metrics.count(GatewayRequest(method, path), status: status, duration: nil)
        var text = PrometheusText()
        metrics.add(to: &text)
        #expect(text.text.contains("popup_gateway_http_requests_total{\(labels)} 1\n"))
    }

    @Test("Each route, and each webhook, has its series from the start")
    func series() {
        var text = PrometheusText()
        GatewayMetrics().add(to: &text, hooks: [UserName("builds")!])
        for line in [
            #"popup_gateway_http_requests_total{route="/v1/popups",method="POST",code="201"} 0"#,
            #"popup_gateway_http_requests_total{route="/v1/popups/{id}",method="PUT",code="200"} 0"#,
            #"popup_gateway_http_requests_total{route="/v1/popups/{id}",method="PUT",code="504"} 0"#,
            #"popup_gateway_http_requests_total{route="/v1/hooks/{name}",method="POST",code="202"} 0"#,
            #"popup_gateway_http_request_duration_seconds_count{route="/v1/state/{group}"} 0"#,
            #"popup_gateway_http_request_duration_seconds_count{route="other"} 0"#,
            #"popup_gateway_hooks_total{hook="builds",outcome="refused"} 0"#,
        ] { #expect(text.text.contains(line + "\n"), "\(line)") }
    }
}
