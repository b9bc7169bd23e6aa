import CarillonCore
import Testing

@testable import CarillonGateway

/// The bytes of requests that come as JSON, and the requests that have no form on the wire.
struct RequestEncoderTests {
    private let gateway = Gateway()

    /// The fields of payloads, in hexadecimal digits.
    private enum Field {
        /// The app `a`, after its length.
        static let app = "000161"
        /// The default limit of a page: 100.
        static let usualLimit = "00000064"
        static let emptyText = "0000"
        static let pauseAction = "02"
        /// The device of the id 5, after the form of an id.
        static let deviceID5 = "02" + "0000000000000005"
        static let addressForm = "01"
        static let production = "01"
        static let sandbox = "02"
        static let deviceKind = "01"
        static let voIPKind = "02"
        static let fcmKind = "0b"
        /// The token of the text `ab`, after its length.
        static let textTokenAB = "02" + "6162"
        static let seenNow = "0000000000000000"
        /// The list of tagged fields with one of them: the token `cd`, which is replaced, after its tag and length.
        static let replacedTextTokenCD = "01" + "1102" + "6364"
    }

    @Test func `an absent field is zero or empty and an absent limit is a hundred`() throws {
        let app = "0003" + Hex.string(Array("a.b".utf8))
        #expect(
            try gateway.hexPayload("groups", #"{"app":"a.b"}"#)
                == app + Field.emptyText + Field.emptyText + Field.usualLimit)
        #expect(try gateway.hexPayload("statistics", "") == Field.usualLimit)
        #expect(try gateway.hexPayload("statistics", #"{"limit":null}"#) == Field.usualLimit)
    }

    @Test func `a value that is named means the same as its number`() throws {
        let words = try gateway.hexPayload("update_message", #"{"app":"a","message_id":7,"action":"pause"}"#)
        #expect(words == (try gateway.hexPayload("update_message", #"{"app":"a","message_id":"7","action":2}"#)))
        #expect(words == Field.app + "0000000000000007" + Field.pauseAction)
    }

    @Test func `a payload is taken as it stands without whitespace`() throws {
        let body =
            #"{"app":"a","push_type":"alert","audience":"all","payload": { "aps" : {"alert":"a  b", "n":1.50e2} } }"#
        let payload = #"{"aps":{"alert":"a  b","n":1.50e2}}"#
        #expect(try gateway.hexPayload("send", body).hasSuffix(Hex.string(Array(payload.utf8))))
    }

    @Test func `a device is named by its id or its token`() throws {
        #expect(try gateway.hexPayload("lookup", #"{"app":"a","device":5}"#) == Field.app + Field.deviceID5)
        #expect(try gateway.hexPayload("lookup", #"{"app":"a","device":"5"}"#) == Field.app + Field.deviceID5)
        let voIP = #"{"app":"a","device":{"environment":"sandbox","kind":"voip","token":"ABcd"}}"#
        let voIPAddress = Field.addressForm + Field.sandbox + Field.voIPKind
        #expect(try gateway.hexPayload("lookup", voIP) == Field.app + voIPAddress + "02abcd")
        let token = #"{"app":"a","device":{"token":"ab"}}"#
        let usualAddress = Field.addressForm + Field.production + Field.deviceKind
        #expect(try gateway.hexPayload("lookup", token) == Field.app + usualAddress + "01ab")
    }

    @Test func `a token of FCM is a text`() throws {
        let address = Field.addressForm + Field.production + Field.fcmKind
        #expect(
            try gateway.hexPayload("lookup", #"{"app":"a","device":{"kind":"fcm","token":"ab"}}"#)
                == Field.app + address + Field.textTokenAB)
        // The kind counts wherever it stands.
        #expect(
            try gateway.hexPayload("lookup", #"{"app":"a","device":{"token":"c:d","kind":"fcm"}}"#)
                == Field.app + address + "03" + Hex.string(Array("c:d".utf8)))
        let registration = #"{"app":"a","environment":1,"kind":"fcm","token":"ab","replaces":"cd"}"#
        #expect(
            try gateway.hexPayload("register", registration)
                == Field.app + Field.production + Field.fcmKind + Field.textTokenAB + Field.seenNow
                + Field.replacedTextTokenCD)
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
