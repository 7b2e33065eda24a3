import Foundation
import Testing

@testable import PopupGateway

@Suite("The description in OpenAPI")
struct DescriptionTests {
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    private func paths() throws -> [String: [String: Any]] {
        let request = GatewayRequest("GET", "/openapi.json", headers: ["host": "localhost"])
        let pages = WebPages(imageHosts: [], framingOrigins: [])
        let response = try #require(pages.respond(to: request))
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "application/json")
        let document = try JSONSerialization.jsonObject(with: Data(response.bytes)) as? [String: Any]
        return try #require(document?["paths"] as? [String: [String: Any]])
    }

    @Test("has of each path the methods that there are, and no others")
    func methods() throws {
        for (template, operations) in try paths() {
            let path = template.replacing("{id}", with: "x").replacing("{group}", with: "a/b")
            for method in Self.methods {
                let isThere = (try? Route(method: method, path: path)) != nil
                #expect(isThere == (operations[method.lowercased()] != nil), "\(method) \(template)")
            }
        }
    }

    @Test("has of each request the status when it goes well")
    func statuses() throws {
        let paths = try paths()
        for (method, route) in Route.all {
            let operation = try #require(paths[route.template]?[method.lowercased()] as? [String: Any])
            let responses = try #require(operation["responses"] as? [String: Any])
            #expect(responses["\(route.status)"] != nil, "\(method) \(route.template)")
        }
    }

    @Test("has of each request the parameters that it takes, and no others")
    func parameters() throws {
        let paths = try paths()
        for (method, route) in Route.all {
            guard let taken = route.parameters else { continue }
            let operation = try #require(paths[route.template]?[method.lowercased()] as? [String: Any])
            let parameters = operation["parameters"] as? [[String: Any]] ?? []
            let described = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
            #expect(Set(described) == taken, "\(method) \(route.template)")
        }
    }

    @Test("says of both streams how a client that comes back tells what it has")
    func last() throws {
        for path in ["/v1/stream", "/v1/events"] {
            let operation = try #require(try paths()[path]?["get"] as? [String: Any])
            let parameters = try #require(operation["parameters"] as? [[String: Any]])
            #expect(parameters.contains { $0["name"] as? String == "last" }, "\(path)")
        }
    }

    @Test("has every path")
    func everyPath() throws {
        // The templates stand in one switch, which has each route.
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/PopupGateway/Route.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let templates = Set(text.matches(of: /: "(\/v1\/[^"]+)"/).map { String($0.1) })
        #expect(templates.count > 15)
        #expect(Set(try paths().keys) == templates)
        #expect(Set(Route.all.map(\.route.template)) == templates)
    }
}
