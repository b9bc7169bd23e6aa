public import CarillonCore
import CarillonTestKit

/// The app of the changes and messages of a test.
package let game = TestApps.game

/// The time of a test: milliseconds since 1970.
package func timestamp(_ milliseconds: UInt64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

/// The address of a device of Apple, whose token is one byte three times.
package func address(_ token: UInt8, kind: TokenKind = .device) -> DeviceAddress {
    DeviceAddress(environment: .production, kind: kind, token: DeviceToken([token, token, token])!)
}

/// The address of a device of Apple, whose token begins with a number of any size.
package func address(numbered number: UInt64, kind: TokenKind = .device, length: Int = 32) -> DeviceAddress {
    let token = (0..<length).map { UInt8(truncatingIfNeeded: $0 < 8 ? number >> (8 * $0) : 0xA5) }
    return DeviceAddress(environment: .production, kind: kind, token: DeviceToken(token)!)
}

package func deviceID(_ number: UInt64) -> DeviceID { DeviceID(rawValue: number) }

package func messageID(_ number: UInt64) -> MessageID { MessageID(rawValue: number) }

/// A device, named by its token.
package func byToken(_ number: UInt8) -> DeviceReference { .address(address(number)) }

extension TopicName: ExpressibleByStringInterpolation {
    /// Makes the name of a constant, which must be a valid one.
    public init(stringLiteral name: String) {
        self = TopicName(name)!
    }
}

extension GroupName: ExpressibleByStringInterpolation {
    /// Makes the name of a constant, which must be a valid one.
    public init(stringLiteral name: String) {
        self = GroupName(name)!
    }
}
