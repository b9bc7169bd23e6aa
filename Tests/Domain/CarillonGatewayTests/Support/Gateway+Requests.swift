import CarillonCore
import CarillonGateway
import Testing

extension Gateway {
    /// Returns the payload of a request in hexadecimal digits.
    func hexPayload(_ name: String, _ body: String, key: String? = nil) throws -> String {
        Hex.string(try prepare(name, body: Array(body.utf8), key: key).payload)
    }

    /// Returns the error of a request that is refused.
    func refusal(_ name: String, _ body: String, key: String? = nil) -> GatewayError? {
        #expect(throws: GatewayError.self) { try hexPayload(name, body, key: key) }
    }
}
