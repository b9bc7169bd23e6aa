import CarillonCore
import Testing

@testable import CarillonGateway

/// The bytes of requests that come as JSON, and the requests that have no form on the wire.
struct RequestEncoderTests {
    private let gateway = Gateway()

    /// The app `a`: the length and the name.
    private let app = "0001" + "61"
    private let emptyText = "0000"
    /// The limit of a listing that names none: 100.
    private let defaultLimit = "00000064"

    @Test func `an absent field is zero or empty and an absent limit is a hundred`() throws {
        #expect(try gateway.hexPayload("groups", #"{"app":"a"}"#) == app + emptyText + emptyText + defaultLimit)
        #expect(try gateway.hexPayload("statistics", "") == defaultLimit)
        #expect(try gateway.hexPayload("statistics", #"{"limit":null}"#) == defaultLimit)
    }

    @Test func `a value that is named means the same as its number`() throws {
        let words = try gateway.hexPayload("update_message", #"{"app":"a","message_id":7,"action":"pause"}"#)
        #expect(words == (try gateway.hexPayload("update_message", #"{"app":"a","message_id":"7","action":2}"#)))
        #expect(words == app + "0000000000000007" + "02")
    }

    @Test func `a payload is taken as it stands without whitespace`() throws {
        let body =
            #"{"app":"a","push_type":"alert","audience":"all","payload": { "aps" : {"alert":"a  b", "n":1.50e2} } }"#
        let payload = #"{"aps":{"alert":"a  b","n":1.50e2}}"#
        #expect(try gateway.hexPayload("send", body).hasSuffix(Hex.string(Array(payload.utf8))))
    }

    @Test func `a device is named by its id or its token`() throws {
        let byID = "02"
        let five = "0000000000000005"
        #expect(try gateway.hexPayload("lookup", #"{"app":"a","device":5}"#) == app + byID + five)
        #expect(try gateway.hexPayload("lookup", #"{"app":"a","device":"5"}"#) == app + byID + five)
        let voIP = #"{"app":"a","device":{"environment":"sandbox","kind":"voip","token":"ABcd"}}"#
        #expect(try gateway.hexPayload("lookup", voIP) == app + "010202" + "02abcd")
        let token = #"{"app":"a","device":{"token":"ab"}}"#
        #expect(try gateway.hexPayload("lookup", token) == app + "010101" + "01ab")
    }

    @Test func `a token of FCM is a text`() throws {
        let fcmToken = "01010b"
        #expect(
            try gateway.hexPayload("lookup", #"{"app":"a","device":{"kind":"fcm","token":"ab"}}"#)
                == app + fcmToken + "026162")
        // The kind counts wherever it stands.
        #expect(
            try gateway.hexPayload("lookup", #"{"app":"a","device":{"token":"c:d","kind":"fcm"}}"#)
                == app + fcmToken + "03633a64")
        let registration = #"{"app":"a","environment":1,"kind":"fcm","token":"ab","replaces":"cd"}"#
        #expect(
            try gateway.hexPayload("register", registration)
                == app + "010b" + "026162" + "0000000000000000" + "01" + "1102" + "6364")
        #expect(gateway.refusal("lookup", #"{"app":"a","device":{"kind":"voip","token":"xy"}}"#)?.field == "device")
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
    func `a value that the protocol cannot carry is refused by its name`(_ request: Refused) {
        let refusal = gateway.refusal(request.operation, request.body)
        #expect(refusal?.code == "INVALID_ARGUMENT")
        #expect(refusal?.status == 400)
        #expect(refusal?.field == request.field)
        #expect(refusal?.effect == .notExecuted)
    }
}
