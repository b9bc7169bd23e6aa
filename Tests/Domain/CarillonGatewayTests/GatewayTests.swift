import CarillonCore
import CarillonWire
import Testing

@testable import CarillonGateway

/// The requests that are made from JSON, and the answers that become JSON.
struct GatewayTests {
    private let gateway = Gateway()

    /// Returns the payload of a request in hexadecimal digits.
    private func prepare(_ name: String, _ body: String, key: String? = nil) throws -> String {
        try gateway.prepare(name, body: Array(body.utf8), key: key).payload.reduce(into: "") {
            $0 += Hex.string([$1])
        }
    }

    /// Returns the error of a request that is refused.
    private func refusal(_ name: String, _ body: String, key: String? = nil) -> GatewayError? {
        #expect(throws: GatewayError.self) { try prepare(name, body, key: key) }
    }

    // MARK: Requests

    @Test func anAbsentFieldIsZeroOrEmptyAndAnAbsentLimitIsAHundred() throws {
        #expect(try prepare("groups", #"{"app":"a.b"}"#) == "0003612e62" + "0000" + "0000" + "00000064")
        #expect(try prepare("statistics", "") == "00000064")
        #expect(try prepare("statistics", #"{"limit":null}"#) == "00000064")
    }

    @Test func aWordMeansTheSameAsItsNumber() throws {
        let words = try prepare("update_message", #"{"app":"a","message_id":7,"action":"pause"}"#)
        #expect(words == (try prepare("update_message", #"{"app":"a","message_id":"7","action":2}"#)))
        #expect(words == "000161" + "0000000000000007" + "02")
    }

    @Test func aPayloadIsTakenAsItStandsWithoutWhiteSpace() throws {
        let body =
            #"{"app":"a","push_type":"alert","audience":"all","payload": { "aps" : {"alert":"a  b", "n":1.50e2} } }"#
        let payload = #"{"aps":{"alert":"a  b","n":1.50e2}}"#
        #expect(try prepare("send", body).hasSuffix(Hex.string(Array(payload.utf8))))
    }

    @Test func aDeviceIsNamedByItsIDOrItsToken() throws {
        #expect(try prepare("lookup", #"{"app":"a","device":5}"#) == "000161" + "02" + "0000000000000005")
        #expect(try prepare("lookup", #"{"app":"a","device":"5"}"#) == "000161" + "02" + "0000000000000005")
        #expect(
            try prepare("lookup", #"{"app":"a","device":{"environment":"sandbox","kind":"voip","token":"ABcd"}}"#)
                == "000161" + "010202" + "02abcd")
        #expect(try prepare("lookup", #"{"app":"a","device":{"token":"ab"}}"#) == "000161" + "010101" + "01ab")
    }

    @Test func aTokenOfFCMIsAText() throws {
        #expect(
            try prepare("lookup", #"{"app":"a","device":{"kind":"fcm","token":"ab"}}"#) == "000161" + "01010b"
                + "026162")
        // The kind counts wherever it stands.
        #expect(
            try prepare("lookup", #"{"app":"a","device":{"token":"c:d","kind":"fcm"}}"#)
                == "000161" + "01010b" + "03633a64")
        let registration = #"{"app":"a","environment":1,"kind":"fcm","token":"ab","replaces":"cd"}"#
        #expect(
            try prepare("register", registration)
                == "000161" + "010b" + "026162" + "0000000000000000" + "01" + "1102" + "6364")
        #expect(refusal("lookup", #"{"app":"a","device":{"kind":"voip","token":"xy"}}"#)?.field == "device")
    }

    @Test func anIdempotencyKeyCanBeAHeader() throws {
        let uuid = "01234567-89ab-cdef-0123-456789abcdef"
        let body = #"{"app":"a","message_id":1,"outcomes":["gave-up"]}"#
        #expect(
            try prepare("resend", body, key: uuid)
                == prepare("resend", #"{"app":"a","message_id":1,"outcomes":[4],"key":"\#(uuid)"}"#))
        #expect(refusal("resend", #"{"key":"\#(uuid)"}"#, key: uuid)?.field == "key")
        #expect(refusal("topics", "{}", key: uuid)?.code == "INVALID_ARGUMENT")
    }

    /// A request without a form on the wire, and the field at fault.
    struct Refused: CustomTestStringConvertible {
        let operation: String
        let body: String
        let field: String

        var testDescription: String { "\(field) of \(operation): \(body)" }
    }

    @Test(arguments: [
        Refused(operation: "lookup", body: #"{"app":"a","device":1,"devise":2}"#, field: "devise"),
        Refused(operation: "lookup", body: #"{"app":"a"}"#, field: "device"),
        Refused(operation: "lookup", body: #"{"app":"a","device":-1}"#, field: "device"),
        Refused(operation: "lookup", body: #"{"app":"a","device":{"token":"xy"}}"#, field: "device"),
        Refused(operation: "lookup", body: #"{"app":"a","device":{"token":""}}"#, field: "device"),
        Refused(operation: "lookup", body: #"{"app":"a","device":{"token":"ab","color":1}}"#, field: "device"),
        Refused(operation: "lookup", body: #"{"app":"a","device":{"token":"ab","kind":256}}"#, field: "device"),
        Refused(operation: "lookup", body: #"{"app":7,"device":1}"#, field: "app"),
        Refused(operation: "update_message", body: #"{"app":"a","message_id":1,"action":"explode"}"#, field: "action"),
        Refused(
            operation: "update_message", body: #"{"app":"a","message_id":18446744073709551616,"action":1}"#,
            field: "message_id"),
        Refused(operation: "update_message", body: #"{"app":"a","message_id":1.5,"action":1}"#, field: "message_id"),
        Refused(operation: "update_message", body: #"{"app":"a","message_id":1,"action":300}"#, field: "action"),
        Refused(
            operation: "update_message", body: #"{"app":"a","message_id":1,"action":"pace","pace":4294967296}"#,
            field: "pace"),
        Refused(operation: "send", body: #"{"app":"a","dry_run":1}"#, field: "dry_run"),
        Refused(operation: "send", body: #"{"app":"a","payload":"{}"}"#, field: "payload"),
        Refused(operation: "send", body: #"{"app":"a","key":"no"}"#, field: "key"),
        Refused(operation: "send", body: #"{"app":"a","devices":{}}"#, field: "devices"),
        Refused(operation: "leave", body: #"{"app":"a","group":"g","devices":[1,{"token":1}]}"#, field: "devices"),
        Refused(operation: "send", body: #"{"app":"a","bodies":[{"language":"de","body":{}}]}"#, field: "bodies"),
    ])
    func aValueThatTheProtocolCannotCarryIsRefusedByItsName(_ request: Refused) {
        let refusal = refusal(request.operation, request.body)
        #expect(refusal?.code == "INVALID_ARGUMENT")
        #expect(refusal?.status == 400)
        #expect(refusal?.field == request.field)
        #expect(refusal?.effect == .notExecuted)
    }

    @Test func anErrorNamesTheItemOfAList() {
        #expect(refusal("leave", #"{"app":"a","group":"g","devices":[1,{"token":1}]}"#)?.item == 1)
    }

    @Test(arguments: ["hello", "auth", "subscribe_events", "event_credit", "unsubscribe_events", "nothing", ""])
    func aRequestOfAConnectionIsNotServed(_ name: String) {
        #expect(refusal(name, "{}")?.status == 404)
    }

    @Test func eventsOfTheGatewayHaveNeitherNameNorCredit() throws {
        let begun = try gateway.prepareEvents(body: Array(#"{"from":7,"kinds":["message-finished"]}"#.utf8))
        #expect(
            Hex.string(begun.payload) == "0000" + "0000000000000007" + "00000000" + "00000001" + "0001"
                + "0000000000000040")
        for body in [#"{"name":"a"}"#, #"{"credit":1}"#, #"{"color":1}"#, "[]"] {
            #expect(throws: GatewayError.self) { try gateway.prepareEvents(body: Array(body.utf8)) }
        }
    }

    // MARK: Answers

    @Test func anErrorOfTheServerKeepsItsParts() {
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

    @Test func bytesThatAreNoAnswerThrowAnErrorAndDoNotTrap() {
        for count in 0..<24 {
            let bytes = [UInt8](repeating: 0xFF, count: count)
            #expect(throws: GatewayError.self) { try gateway.answer(to: .messageStatus, payload: bytes) }
            _ = gateway.error(payload: bytes)
            _ = gateway.event(payload: bytes)
        }
    }

    @Test func theOpenAPIDescriptionNamesEveryRequest() throws {
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
}
