package import CarillonCore

/// The size of a message as FCM counts it: the keys and values that reach the device.
///
/// Google says "4096 bytes … includes both the keys and the values", and in practice takes a little more. Only the
/// names and values of the data and of the notification count here.
package enum FCMSize {
    package static let maximumBytes = 4_096

    package static func bytes(of message: [String: JSONValue]) -> Int {
        let android = message["android"]?.members ?? [:]
        // The data for Android takes the place of the data for all.
        let data = android["data"] ?? message["data"]
        return [data, message["notification"], android["notification"]].compactMap { $0 }.map(size).reduce(0, +)
    }

    /// Returns the bytes of names and values; the nesting of parsed JSON is bounded.
    private static func size(_ value: JSONValue) -> Int {
        switch value {
        case .object(let members): members.reduce(0) { $0 + $1.key.utf8.count + size($1.value) }
        case .array(let elements): elements.reduce(0) { $0 + size($1) }
        case .text(let text): text.utf8.count
        case .integer(let number): String(number).utf8.count
        case .number(let number): String(number).utf8.count
        case .bool(let isTrue): isTrue ? 4 : 5
        case .null: 4
        }
    }
}
