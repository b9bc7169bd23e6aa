import CarillonWire
import Testing

@testable import CarillonGateway

/// The answers and events that become JSON. `GatewayVectorTests` read those of the vectors.
struct AnswerDecoderTests {
    private let gateway = Gateway()

    @Test func bytesThatAreNoAnswerThrowAnErrorAndDoNotTrap() {
        for count in 0..<24 {
            let bytes = [UInt8](repeating: 0xFF, count: count)
            #expect(throws: GatewayError.self) { try gateway.answer(to: .messageStatus, payload: bytes) }
            _ = gateway.error(payload: bytes)
            _ = gateway.event(payload: bytes)
        }
    }
}
