import CarillonCore

/// The devices of all benches are numbered, and the token of one follows from its number.
enum BenchDevice {
    /// 32 bytes, the same at every run.
    static func tokenBytes(_ number: Int) -> [UInt8] {
        // Neighbours in number are no neighbours in order: tokens of APNs are random.
        var generator = SeededGenerator(state: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        return (0..<4).flatMap { _ in withUnsafeBytes(of: generator.next().bigEndian) { Array($0) } }
    }

    /// Where the device is reached.
    static func address(_ number: Int) -> DeviceAddress? {
        DeviceToken(tokenBytes(number)).map { DeviceAddress(environment: .production, kind: .device, token: $0) }
    }
}

/// The same numbers at every run (Knuth's multiplier, the upper bits).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        // Wrapping is the point of the mixing.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 32 | state << 32) ^ state >> 7
    }
}
