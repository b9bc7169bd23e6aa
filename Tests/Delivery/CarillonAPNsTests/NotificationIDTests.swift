import CarillonAPNs
import CarillonCore
import Testing

/// The `apns-id` of a delivery: each attempt has the same, and no other delivery has it.
struct NotificationIDTests {
    private static let epoch = UUIDBytes(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

    private func id(_ message: UInt64, device: UInt64, epoch: UUIDBytes = Self.epoch) -> UUIDBytes {
        NotificationID.derive(
            epoch: epoch, message: MessageID(rawValue: message), device: DeviceID(rawValue: device))
    }

    @Test func `the same delivery has the same id`() {
        #expect(id(1, device: 2) == id(1, device: 2))
    }

    @Test func `another delivery has another id`() {
        #expect(id(1, device: 2) != id(2, device: 1))
        #expect(id(1, device: 2) != id(1, device: 2, epoch: .zero))
    }

    /// Retries after an upgrade of the server must have the same ID.
    @Test func `the derivation of ids stays as it is`() {
        #expect(id(1, device: 2).description == "e821eebb-c077-8421-8b62-b343b4f576e2")
    }

    @Test func `many pairs have ids of their own with the bits of version 8`() {
        var seen: Set<UUIDBytes> = []
        for message in 1...100 as ClosedRange<UInt64> {
            for device in 0..<1_000 as Range<UInt64> {
                let id = id(message, device: device)
                seen.insert(id)
                #expect(id.high >> 12 & 0xF == 8)
                #expect(id.low >> 62 == 0b10)
            }
        }
        #expect(seen.count == 100_000)
    }

    @Test func `an id is written as Apple reads it`() {
        for id in [id(1, device: 2), id(.max, device: 0), .zero, UUIDBytes(high: .max, low: .max)] {
            let text = [UInt8](unsafeUninitializedCapacity: NotificationID.textBytes) { buffer, count in
                if let start = buffer.baseAddress { NotificationID.write(id, into: start) }
                count = NotificationID.textBytes
            }
            #expect(String(decoding: text, as: UTF8.self) == id.description)
            #expect(id.description.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
            #expect(id.description == id.description.lowercased())
        }
    }
}
