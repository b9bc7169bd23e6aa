import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The size of a set on the disk: its chunks, their bytes, and the pages that they are on.
struct PostingSizesTests {
    private let scratch = RegistryDirectory()
    /// The bytes of a row before its devices: a key of three numbers, and the form.
    private static let rowHeadBytes = 3 * 4 + 1
    /// The bytes of a device in a row with few of them.
    private static let offsetBytes = 2
    /// The bytes of the devices of a full chunk: a bit for each.
    private static let bitmapBytes = 4_096 / 8

    @Test func `a set takes pages for its chunks`() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        let app = try #require(AppID("com.example.game"))
        // Two chunks of all: 4,095 devices, because ids begin at 1, and the 105 devices of the second chunk. The topic
        // has these 105, and one device of the first chunk.
        let registrations = (1...4_200 as ClosedRange<UInt64>).map { number in
            var registration = Registration(app: app, address: address(numbered: number))
            if number == 7 || number >= 4_096 { registration.topics = ["level5"] }
            return Change.register(registration, now: Timestamp(milliseconds: 1))
        }
        for start in stride(from: 0, to: registrations.count, by: 1_000) {
            try registry.apply(Array(registrations[start..<min(start + 1_000, registrations.count)]))
        }

        let topic = try registry.postingSizes(of: .topic("level5"), app: app)
        #expect(topic.devices == 106)
        #expect(topic.chunks == 2)
        #expect(Int(topic.bytes) == 2 * Self.rowHeadBytes + 106 * Self.offsetBytes)
        #expect(topic.pages == 1)

        let all = try registry.postingSizes(of: .all, app: app)
        #expect(all.devices == 4_200)
        #expect(Int(all.bytes) == 2 * Self.rowHeadBytes + Self.bitmapBytes + 105 * Self.offsetBytes)

        #expect(try registry.postingSizes(of: .topic("unused"), app: app).devices == 0)
    }
}
