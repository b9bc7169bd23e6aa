import Testing

@testable import apns_simulator

/// What the simulator says about pushes that came twice.
struct LedgerTests {
    private static func token(_ number: Int) throws -> DeviceToken {
        let hex = String(number, radix: 16)
        return try #require(DeviceToken(hex: String(repeating: "0", count: 64 - hex.count) + hex))
    }

    private static func record(_ id: String?, for token: DeviceToken, in ledger: inout Ledger) {
        guard let id else { return ledger.record(token, id: nil) }
        Array(id.utf8).withUnsafeBytes { ledger.record(token, id: $0) }
    }

    @Test(
        arguments: [
            (["a"], 0), (["a", "a"], 1), (["a", "b"], 0), (["a", "b", "a"], 1), (["a", "b", "b"], 1),
            (["a", "a", "b", "b", "b"], 3), ([nil, nil], 0), ([nil, "a", "a"], 1), (["a", nil, "a"], 1),
        ] as [([String?], Int)])
    func sameIDTwiceForOneDeviceIsADuplicate(ids: [String?], expected: Int) throws {
        var ledger = Ledger()
        let device = try Self.token(1)
        for id in ids { Self.record(id, for: device, in: &ledger) }
        let (accepted, duplicates, devices) = (ledger.accepted, ledger.duplicates, ledger.devices)
        #expect(accepted == ids.count)
        #expect(duplicates == expected)
        #expect(devices == 1)
    }

    @Test func sameIDForTwoDevicesIsNone() throws {
        var ledger = Ledger()
        Self.record("a", for: try Self.token(1), in: &ledger)
        Self.record("a", for: try Self.token(2), in: &ledger)
        let duplicates = ledger.duplicates
        #expect(duplicates == 0)
    }

    @Test func growingLosesNothing() throws {
        var ledger = Ledger()
        let tokens = try (0..<5000).map(Self.token)
        for id in ["a", "b", "c", "b", "a"] {
            for token in tokens { Self.record(id, for: token, in: &ledger) }
        }
        let (duplicates, devices) = (ledger.duplicates, ledger.devices)
        #expect(devices == 5000)
        #expect(duplicates == 10_000)
        for token in tokens {
            let count = ledger.count(of: token)
            #expect(count == 5)
        }
        let unknown = ledger.count(of: try Self.token(5001))
        #expect(unknown == 0)
    }
}
