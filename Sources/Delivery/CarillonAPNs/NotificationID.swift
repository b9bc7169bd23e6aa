package import CarillonCore

/// The `apns-id` of a delivery: derived from message and device, so that every attempt has the same id.
package enum NotificationID {
    /// Returns the id of one message to one device, for the server with that epoch (RFC 9562, version 8).
    ///
    /// Each half is mixed one-to-one: different values stay different. Then version and variant take the place of six
    /// bits. So two deliveries of one server can share an id only if their mixed values differ in these six bits alone.
    package static func derive(epoch: UUIDBytes, message: MessageID, device: DeviceID) -> UUIDBytes {
        let high = mix(message.rawValue ^ epoch.high)
        let low = mix(device.rawValue ^ epoch.low ^ high)
        return UUIDBytes(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    /// Mixes a value, one-to-one, because each step is reversible: the finalizer of SplitMix64.
    private static func mix(_ value: UInt64) -> UInt64 {
        // Wrapping arithmetic is part of the algorithm.
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Writes the id in lower case, 8-4-4-4-12, into 36 bytes.
    package static func write(_ id: UUIDBytes, into text: UnsafeMutableRawPointer) {
        let second = Hex.digits(of: UInt32(truncatingIfNeeded: id.high))
        let third = Hex.digits(of: UInt32(truncatingIfNeeded: id.low >> 32))
        write(Hex.digits(of: UInt32(truncatingIfNeeded: id.high >> 32)), to: text)
        write(UInt32(truncatingIfNeeded: second >> 32), to: text + 9)
        write(UInt32(truncatingIfNeeded: second), to: text + 14)
        write(UInt32(truncatingIfNeeded: third >> 32), to: text + 19)
        write(UInt32(truncatingIfNeeded: third), to: text + 24)
        write(Hex.digits(of: UInt32(truncatingIfNeeded: id.low)), to: text + 28)
        let hyphen = UInt8(ascii: "-")
        (text + 8).storeBytes(of: hyphen, as: UInt8.self)
        (text + 13).storeBytes(of: hyphen, as: UInt8.self)
        (text + 18).storeBytes(of: hyphen, as: UInt8.self)
        (text + 23).storeBytes(of: hyphen, as: UInt8.self)
    }

    @inline(__always)
    private static func write<Digits: FixedWidthInteger & BitwiseCopyable>(
        _ digits: Digits, to text: UnsafeMutableRawPointer
    ) {
        text.storeBytes(of: digits.bigEndian, as: Digits.self)
    }

    /// The number of bytes that `write` fills.
    package static let textBytes = 36
}
