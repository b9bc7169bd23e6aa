import CarillonCore

/// The devices of all benches. They are numbered, and the token is computed from the number.
enum BenchDevice {
    /// Returns the token of a device: 32 bytes, which are the same at every run.
    static func tokenBytes(_ number: Int) -> [UInt8] {
        // Consecutive numbers must not give consecutive tokens: tokens of APNs are random.
        var generator = SeededGenerator(seed: UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
        return (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next().bigEndian) { Array($0) } }
    }

    /// Returns the registration token of FCM of a device: 143 bytes, which are the same at every run.
    static func fcmTokenBytes(_ number: Int) -> [UInt8] {
        let (head, tail) = (Hex.string(tokenBytes(number)), Hex.string(tokenBytes(number | 1 << 40)))
        return Array("c\(head.prefix(21)):APA91b\(head)\(tail.prefix(50))".utf8)
    }

    static func address(_ number: Int) -> DeviceAddress? {
        DeviceToken(tokenBytes(number)).map { DeviceAddress(environment: .production, kind: .device, token: $0) }
    }
}
