import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// The invalid vectors. Each gets exactly its error from a session in its phase, whether it comes whole or byte by
/// byte.
struct ServerSessionInvalidVectorTests {
    @Test(arguments: try! Vectors.invalid(), [false, true])
    func `an invalid vector gets exactly its error`(_ vector: Vectors.Invalid, byteByByte: Bool) throws {
        let client = ScriptedClient()
        try client.enter(phase: vector.phase)
        client.send(vector.bytes, byteByByte: byteByByte)

        guard let expected = vector.expected else {
            #expect(client.isClosed)
            #expect(client.received.isEmpty)
            return
        }
        let error = try #require(client.lastError)
        let found = Vectors.Expected(
            code: error.code.name, scope: error.scope, field: error.field, item: error.item, column: error.column,
            limit: error.limit)
        #expect(found == expected)
        #expect(error.effect == .notExecuted)
        #expect(client.isClosed == (expected.scope == .connection))
        #expect(client.requests.isEmpty, "an invalid request was handed on")
    }
}
