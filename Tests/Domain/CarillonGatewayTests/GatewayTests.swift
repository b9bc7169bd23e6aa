import CarillonCore
import Testing

@testable import CarillonGateway

/// The requests that the gateway serves, and those of its streams of events.
struct GatewayTests {
    private let gateway = Gateway()

    @Test func `an idempotency key can be a header`() throws {
        let uuid = "01234567-89ab-cdef-0123-456789abcdef"
        let body = #"{"app":"a","message_id":1,"outcomes":["gave-up"]}"#
        #expect(
            try gateway.hexPayload("resend", body, key: uuid)
                == gateway.hexPayload("resend", #"{"app":"a","message_id":1,"outcomes":[4],"key":"\#(uuid)"}"#))
        #expect(gateway.refusal("resend", #"{"key":"\#(uuid)"}"#, key: uuid)?.field == "key")
        #expect(gateway.refusal("topics", "{}", key: uuid)?.code == "INVALID_ARGUMENT")
    }

    @Test(arguments: ["hello", "auth", "subscribe_events", "event_credit", "unsubscribe_events", "nothing", ""])
    func `a request of a connection is not served`(_ name: String) {
        #expect(gateway.refusal(name, "{}")?.status == 404)
    }

    @Test func `events of the gateway have neither name nor credit`() throws {
        let begun = try gateway.prepareEvents(body: Array(#"{"from":7,"kinds":["message-finished"]}"#.utf8))
        #expect(
            Hex.string(begun.payload) == "0000" + "0000000000000007" + "00000000" + "00000001" + "0001"
                + "0000000000000040")
        for body in [#"{"name":"a"}"#, #"{"credit":1}"#, #"{"color":1}"#, "[]"] {
            #expect(throws: GatewayError.self) { try gateway.prepareEvents(body: Array(body.utf8)) }
        }
    }
}
