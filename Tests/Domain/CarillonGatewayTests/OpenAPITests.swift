import CarillonCore
import Testing

@testable import CarillonGateway

/// The description of the gateway for tools.
struct OpenAPITests {
    private let gateway = Gateway()

    @Test func `the description names every request`() throws {
        let document = try LocatedJSONParser.parse(OpenAPI(gateway, version: "1").json)
        let paths = try #require(document["paths"]?.members?.map(\.name))
        #expect(paths == gateway.table.served.map { "/v1/\($0.name)" } + ["/v1/events"])
        #expect(paths.count > 30)
        for path in try #require(document["paths"]?.members) {
            let text = String(decoding: OpenAPI(gateway, version: "1").json[path.value.range], as: UTF8.self)
            #expect(text.contains("#/components/parameters/position"), "\(path.name)")
            #expect(text.contains("#/components/headers/position"), "\(path.name)")
        }
    }

    @Test func `the description names every status and its errors`() throws {
        let document = try LocatedJSONParser.parse(OpenAPI(gateway, version: "1").json)
        let error = try #require(document["components"]?["responses"]?["error"]?["description"]?.text)
        for row in ErrorStatus.table { #expect(error.contains("\(row.status): \(row.errors)")) }
    }
}
