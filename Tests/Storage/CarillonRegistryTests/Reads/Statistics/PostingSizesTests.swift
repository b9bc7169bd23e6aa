import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The size of a set on the disk: its chunks, their bytes, and the pages that they are on.
struct PostingSizesTests {
    private let scratch = RegistryDirectory()

    @Test func aSetTakesPagesForItsChunks() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        let app = try #require(AppID("com.example.game"))
        // Two chunks of all, the second of them short; every device of the second is in the topic, and one of the
        // first.
        let registrations = (1...4_200 as ClosedRange<UInt64>).map { number in
            var registration = Registration(app: app, address: address(numbered: number))
            if number == 7 || number >= 4_096 { registration.topics = ["level5"] }
            return Change.register(registration, now: Timestamp(milliseconds: 1))
        }
        for start in stride(from: 0, to: registrations.count, by: 1_000) {
            _ = try registry.apply(Array(registrations[start..<min(start + 1_000, registrations.count)]))
        }

        let topic = try registry.postingSizes(of: .topic("level5"), app: app)
        // Twice a key and the form, and two bytes a device.
        let bytes = 2 * (12 + 1) + 2 * 106
        #expect(topic.devices == 106)
        #expect(topic.chunks == 2)
        #expect(Int(topic.bytes) == bytes)
        #expect(topic.pages == 1)

        let all = try registry.postingSizes(of: .all, app: app)
        #expect(all.devices == 4_200)
        #expect(Int(all.bytes) == 2 * (12 + 1) + 512 + 2 * 105)

        #expect(try registry.postingSizes(of: .topic("unused"), app: app).devices == 0)
    }
}
