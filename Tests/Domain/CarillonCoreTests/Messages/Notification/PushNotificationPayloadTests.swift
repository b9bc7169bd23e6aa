import CarillonCore
import Testing

/// The payloads of notifications, compared with the bytes of `Protocol/vectors/payloads.json`.
struct PushNotificationPayloadTests {
    // A file that cannot be read fails all tests.
    // swift-format-ignore: NeverUseForceTry
    private static let rows = try! PayloadRow.load()

    @Test(arguments: rows.filter { $0.fault == nil })
    func `a vector gives its bytes`(_ row: PayloadRow) throws {
        #expect(try row.composed() == row.expected)
    }

    @Test(arguments: rows.filter { $0.fault != nil })
    func `a vector with a fault is refused with the name of its field`(_ row: PayloadRow) {
        let error = #expect(throws: MessageError.self) { try row.composed() }
        #expect(error?.field == row.fault)
    }

    @Test func `all vectors are read and have distinct names`() {
        let names = Set(Self.rows.map(\.name)).union(PayloadRow.namesWithASurrogate)
        #expect(names.count == 95)
        #expect(Self.rows.count == names.count - PayloadRow.namesWithASurrogate.count)
    }
}
