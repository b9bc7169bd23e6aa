import CarillonCore
import Foundation

/// A phone with a name. Its token is the bytes of the name, so that the token of a push names its phone.
struct Phone: Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, of at most 32 bytes.
    let name: String

    init(stringLiteral name: String) { self.name = name }

    /// Makes the phone of a token in hexadecimal.
    init(token: String) {
        name = String(decoding: (Hex.bytes(token) ?? []).prefix { $0 != 0 }, as: UTF8.self)
    }

    var token: DeviceToken {
        let bytes = Array(name.utf8)
        return DeviceToken(bytes + Array(repeating: 0, count: 32 - bytes.count))!
    }

    var address: DeviceAddress { DeviceAddress(environment: .production, kind: .device, token: token) }

    var reference: DeviceReference { .address(address) }

    var description: String { name }
}

/// A push as APNs received it.
struct Push: Decodable {
    let phone: Phone
    /// The `apns-id`.
    let id: String
    /// The body, byte for byte.
    let payload: String

    private enum CodingKeys: String, CodingKey {
        case token, payload
        case id = "apns-id"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        phone = Phone(token: try values.decode(String.self, forKey: .token))
        id = try values.decode(String.self, forKey: .id)
        payload = try values.decode(String.self, forKey: .payload)
    }

    /// The text that the phone shows: the alert, its body, or its key in the app's tables as `KEY(arguments)`.
    var text: String {
        get throws {
            let alert = try JSONDecoder().decode(Content.self, from: Data(payload.utf8)).aps.alert
            return alert.body ?? "\(alert.key ?? "")(\((alert.arguments ?? []).joined(separator: ", ")))"
        }
    }

    private struct Content: Decodable {
        struct APS: Decodable { let alert: Alert }
        let aps: APS
    }

    /// An alert: a string, or an object.
    private struct Alert: Decodable {
        var body, key: String?
        var arguments: [String]?

        private enum CodingKeys: String, CodingKey {
            case body
            case key = "loc-key"
            case arguments = "loc-args"
        }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                body = text
            } else {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                body = try values.decodeIfPresent(String.self, forKey: .body)
                key = try values.decodeIfPresent(String.self, forKey: .key)
                arguments = try values.decodeIfPresent([String].self, forKey: .arguments)
            }
        }
    }
}
