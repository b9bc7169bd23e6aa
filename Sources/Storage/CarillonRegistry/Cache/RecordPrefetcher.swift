import CarillonCore
import CarillonLMDB

/// Remembers the pages of the map on which the records of devices were at their last read. So the processor can
/// prefetch these pages before the records are looked up; otherwise it waits for each page in turn.
///
/// The pages are never read because of it, only prefetched. An outdated page costs a little time and does no harm, so
/// no lock is needed.
///
/// It takes 4 MiB at most, for eight million devices, and only the pages that are used.
struct RecordPrefetcher: Sendable {
    /// The number of device ids that share one word: their records are neighbours.
    private static let neighbours: UInt64 = 16
    private static let wordCount = 1 << 19
    private static let pageBytes: UInt = 4_096

    private let pages = AtomicWords(count: wordCount)

    /// Records the page of a device's record.
    @inline(__always)
    func record(_ id: DeviceID, app: AppNumber, at row: UnsafeRawPointer) {
        guard let pages else { return }
        let index = Self.index(of: id, app: app)
        let page = UInt64(UInt(bitPattern: row) & ~(Self.pageBytes - 1))
        // A write of the same value would invalidate the cache line of other processors.
        if pages[index] != page { pages[index] = page }
    }

    /// Prefetches the page of a device's record, if it is known.
    @inline(__always)
    func prefetch(_ id: DeviceID, app: AppNumber) {
        guard let page = pages?[Self.index(of: id, app: app)], page != 0 else { return }
        Prefetch.page(UInt(truncatingIfNeeded: page))
    }

    @inline(__always)
    private static func index(of id: DeviceID, app: AppNumber) -> Int {
        let neighbourhood = id.rawValue / neighbours &+ UInt64(app) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: neighbourhood & UInt64(wordCount - 1))
    }
}
