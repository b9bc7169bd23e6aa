import CarillonWire
import Testing

@testable import CarillonGateway

/// The answers and events that become JSON. `GatewayVectorTests` read those of the vectors.
struct AnswerDecoderTests {
    private let gateway = Gateway()

    @Test func `bytes that are no answer throw an error and do not trap`() {
        for count in 0..<24 {
            let bytes = [UInt8](repeating: 0xFF, count: count)
            #expect(throws: GatewayError.self) { try gateway.answer(to: .messageStatus, payload: bytes) }
            _ = gateway.error(payload: bytes)
            _ = gateway.event(payload: bytes)
        }
    }
}
