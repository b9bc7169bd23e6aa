import CarillonCore
import CarillonFCM
import CarillonProvider
import CarillonTLS
import CarillonWebPush
import Foundation

/// The program that prints the values that CarillonFCM and CarillonWebPush make, for tests with other implementations.
/// Each line of the standard input is an order in JSON, and is answered by a line of JSON.
@main
struct PushVectors {
    /// An order. Its `make` decides which members it has.
    struct Order: Decodable {
        var make: String
        var subscription: String?
        var plaintext: String?
        var padding: Int?
        var key: String?
        var contact: String?
        var account: String?
        var payload: String?
        var android: String?
        var token: String?
        var status: UInt16?
        var body: String?
        /// The time in seconds since 1970.
        var now: UInt64?
    }

    struct UnknownOrderError: Error {
        var make: String
    }

    /// The error of an order that lacks a member, or has one that cannot be read.
    struct MissingMemberError: Error {
        var name: String
    }

    static func main() throws {
        var encryption = try MessageEncryption()
        while let line = readLine() {
            let order = try JSONDecoder().decode(Order.self, from: Data(line.utf8))
            print("{\"made\":\(JSONValue.quoted(try make(order, &encryption)))}")
            fflush(nil)
        }
    }

    private static func make(_ order: Order, _ encryption: inout MessageEncryption) throws -> String {
        switch order.make {
        case "body": return try body(order, &encryption)
        case "authorization": return try authorization(order)
        case "assertion": return try assertion(order)
        case "message": return try message(order)
        case "verdict": return try verdict(order)
        default: throw UnknownOrderError(make: order.make)
        }
    }

    private static func subscription(_ order: Order) throws -> WebPushSubscription {
        try WebPushSubscription(json: Array(try need(order.subscription, named: "subscription").utf8))
    }

    private static func body(_ order: Order, _ encryption: inout MessageEncryption) throws -> String {
        let plaintext = try need(
            Base64URL.decode(try need(order.plaintext, named: "plaintext").utf8), named: "plaintext")
        let body = try encryption.encrypt(plaintext, for: try subscription(order), padding: order.padding ?? 0)
        return String(decoding: Base64URL.encode(try need(body, named: "subscription")), as: UTF8.self)
    }

    private static func authorization(_ order: Order) throws -> String {
        let pem = Array(try Data(contentsOf: URL(fileURLWithPath: try need(order.key, named: "key"))))
        let key = try SigningKey(pem: SecretBytes(copying: pem))
        let contact = try need(VAPIDContact(try need(order.contact, named: "contact")), named: "contact")
        var tokens = VAPIDTokens(contact: contact, publicKey: try key.publicPoint)
        let moment = Moment(wall: Timestamp(milliseconds: try need(order.now, named: "now") * 1_000), uptime: 0)
        let origin = try need(try subscription(order).address, named: "subscription").origin
        return try tokens.authorization(for: origin, at: moment) { input throws(TLSError) in try key.sign(input) }
    }

    private static func assertion(_ order: Order) throws -> String {
        let file = Array(try Data(contentsOf: URL(fileURLWithPath: try need(order.account, named: "account"))))
        let account = try file.withUnsafeBytes { try ServiceAccount.read($0) }
        let pem = try SecretBytes(capacity: file.count) { room in
            try file.withUnsafeBytes { try ServiceAccount.writePrivateKey(of: $0, into: room) }
        }
        let input = JWTAssertion(account: account, issuedAtSeconds: try need(order.now, named: "now")).signingInput
        let signature = try RSASigningKey(pem: pem).sign(input)
        return String(decoding: JWTAssertion.requestBody(signingInput: input, signature: signature), as: UTF8.self)
    }

    private static func message(_ order: Order) throws -> String {
        let content = MessageContent(
            app: try need(AppID("com.example.game"), named: "app"), pushType: .alert,
            payload: Array(try need(order.payload, named: "payload").utf8),
            android: order.android.map { .overrides(Array($0.utf8)) })
        let request = try FCMRequest(content, at: Timestamp(milliseconds: 0))
        let target = try need(FCMTarget(.token, Array(try need(order.token, named: "token").utf8)), named: "token")
        return String(decoding: request.body(for: target), as: UTF8.self)
    }

    private static func verdict(_ order: Order) throws -> String {
        let answer = FCMAnswer.judgeFailure(
            status: try need(order.status, named: "status"), body: Array(try need(order.body, named: "body").utf8),
            retryAfterMilliseconds: nil)
        let verdict =
            switch answer.verdict {
            case .refused(let outcome, _): outcome.name
            case .tryLater: "later"
            default: "\(answer.verdict)"
            }
        return "\(verdict) \(answer.consequence)"
    }

    private static func need<Value>(_ value: Value?, named name: String) throws -> Value {
        guard let value else { throw MissingMemberError(name: name) }
        return value
    }
}
