import CarillonCore
import CarillonWire
import Testing

@testable import CarillonGateway

/// The errors of the gateway and of the server behind it.
struct GatewayErrorTests {
    private let gateway = Gateway()

    @Test func `an error names the item of a list`() {
        #expect(gateway.refusal("leave", #"{"app":"a","group":"g","devices":[1,{"token":1}]}"#)?.item == 1)
    }

    @Test func `an error of the server keeps its parts`() {
        var writer = FrameWriter()
        writer.error(RequestError(.invalidArgument, message: "no", field: "app", item: 9), opcode: .lookup, id: 2)
        let error = gateway.error(payload: Array(writer.bytes.dropFirst(FrameHeader.byteCount)))
        #expect(error.code == "INVALID_ARGUMENT")
        #expect(error.status == 400)
        #expect(error.field == "app")
        #expect(error.item == 9)
        #expect(error.retryAfterMilliseconds == nil)
        let json = String(decoding: error.json, as: UTF8.self)
        #expect(json.contains(#""effect":"not_executed","retry_after_ms":null,"message":"no""#))
    }

    @Test func `the errors of HTTP itself have their own codes and statuses`() {
        let errors = [GatewayError.methodNotAllowed("POST"), .unsupportedMediaType]
        #expect(errors.map { "\($0.status) \($0.code)" } == ["405 METHOD_NOT_ALLOWED", "415 UNSUPPORTED_MEDIA_TYPE"])
    }

    @Test func `the end of a session is not answered as a fault of the server`() {
        #expect(GatewayError.sessionEnded.code == "INTERNAL")
        #expect(GatewayError.sessionEnded.status == 503)
        #expect(GatewayError.sessionEnded.effect == .unknown)
        #expect(GatewayError(.internal, message: "").status == 500)
    }
}
