import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Addresses that are prefetched and never read. A read of one of them would end the process, so there is nothing else
/// to expect.
struct RecordPrefetcherTests {
    private let prefetcher = RecordPrefetcher()

    @Test func `prefetching an invalid address does not trap`() throws {
        for bits in [1, 4_095, 4_096, UInt.max, UInt.max / 2] {
            let record = try #require(UnsafeRawPointer(bitPattern: bits))
            for number in [0, 15, 16, AppTable.deviceBound - 1, .max] {
                prefetcher.record(deviceID(number), app: .max, at: record)
                prefetcher.prefetch(deviceID(number), app: .max)
            }
        }
        prefetcher.prefetch(deviceID(1), app: 1)
    }
}
