/// A UUID of 16 bytes: an idempotency key, an `apns-id` or an epoch.
public struct UUIDBytes: Hashable, Sendable, CustomStringConvertible {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The last eight bytes, most significant first.
    public let low: UInt64

    /// Makes a UUID from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The UUID whose bytes are all 0.
    public static let zero = UUIDBytes(high: 0, low: 0)

    /// The UUID itself; nil if all its bytes are 0, which say "none" in the protocol and in data files.
    package var nonzero: UUIDBytes? { self == .zero ? nil : self }

    /// Makes a random UUID (RFC 9562, version 4) of two random words.
    package init(version4High high: UInt64, low: UInt64) {
        self.init(
            high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// Makes a random UUID (RFC 9562, version 4).
    public static func random() -> UUIDBytes {
        var generator = SystemRandomNumberGenerator()
        return UUIDBytes(version4High: generator.next(), low: generator.next())
    }

    /// The 16 bytes, most significant first.
    public var bytes: [UInt8] {
        [high, low].flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
    }

    /// The digits in lower case, with hyphens: 8-4-4-4-12.
    public var description: String {
        let digits = Array(Hex.string(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Parses 32 hexadecimal digits, without hyphens or as 8-4-4-4-12; returns nil for other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard [[32], [8, 4, 4, 4, 12]].contains(parts.map(\.utf8.count)), let bytes = Hex.bytes(parts.joined()),
            bytes.count == 16
        else { return nil }
        func half(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: half(bytes[0..<8]), low: half(bytes[8..<16]))
    }
}
