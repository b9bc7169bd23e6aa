/// The address that APNs gave to one app on one device: raw bytes of variable length, never assumed to be 32.
public struct DeviceToken: Hashable, Sendable {
    /// The raw bytes: 1 to 200.
    public let bytes: [UInt8]

    /// The longest token taken, in bytes (Protocol 4.1).
    public static let byteLimit = 200

    /// Makes a token of raw bytes, or nil if there are none or too many.
    public init?(_ bytes: [UInt8]) {
        guard (1...Self.byteLimit).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Makes a token from hexadecimal digits as apps print them, or nil if they are not that.
    public init?(hex: String) {
        let digits = hex.utf8
        guard digits.count.isMultiple(of: 2), (2...2 * Self.byteLimit).contains(digits.count) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let value = Hex.value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self.bytes = bytes
    }

    /// All of the token in lower-case hexadecimal. Secret enough to keep out of logs and error texts.
    public var hex: String { Hex.string(bytes) }

    /// The first four bytes, to tell tokens apart in logs without giving them away.
    public var shortened: String {
        bytes.count > 4 ? Hex.string(bytes.prefix(4)) + "…" : Hex.string(bytes)
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The shortened token.
    public var description: String { shortened }
    /// The shortened token.
    public var debugDescription: String { shortened }
}

/// Hexadecimal digits, both ways.
public enum Hex {
    /// The value of one digit of either case, or nothing.
    public static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The bytes that `text` spells, or nil if it is not whole bytes of hexadecimal digits.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in text.utf8 {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
