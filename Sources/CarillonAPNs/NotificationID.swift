package import CarillonCore

/// The `apns-id` of a delivery: derived from message and device, so that each try of it bears the same.
package enum NotificationID {
    /// The id of one message to one device of the server with that epoch (RFC 9562, version 8).
    ///
    /// Both halves are mixed one-to-one before the six bits of version and variant are set, so two deliveries of a
    /// server share an id only if those bits were all that told them apart.
    package static func derive(epoch: UUIDBytes, message: MessageID, device: DeviceID) -> UUIDBytes {
        let high = mix(message.rawValue ^ epoch.high)
        let low = mix(device.rawValue ^ epoch.low ^ high)
        return UUIDBytes(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }

    /// The finalizer of SplitMix64: each step can be undone, so it maps one-to-one.
    private static func mix(_ value: UInt64) -> UInt64 {
        // Wrapping is the point of the mixing.
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Writes the id in lower case, 8-4-4-4-12, into 36 bytes.
    @inline(__always)
    package static func write(_ id: UUIDBytes, into text: UnsafeMutablePointer<UInt8>) {
        var next = text
        write(id.high >> 32, digits: 8, into: &next)
        hyphen(into: &next)
        write(id.high >> 16, digits: 4, into: &next)
        hyphen(into: &next)
        write(id.high, digits: 4, into: &next)
        hyphen(into: &next)
        write(id.low >> 48, digits: 4, into: &next)
        hyphen(into: &next)
        write(id.low, digits: 12, into: &next)
    }

    @inline(__always)
    private static func write(_ value: UInt64, digits: Int, into next: inout UnsafeMutablePointer<UInt8>) {
        var shift = UInt64(digits * 4)
        while shift > 0 {
            shift -= 4
            let digit = UInt8(truncatingIfNeeded: value >> shift) & 0xF
            next.pointee = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            next += 1
        }
    }

    @inline(__always)
    private static func hyphen(into next: inout UnsafeMutablePointer<UInt8>) {
        next.pointee = UInt8(ascii: "-")
        next += 1
    }

    /// Bytes that `write` fills.
    package static let textBytes = 36
}
