import CarillonCore
import CarillonLMDB

/// On which pages of the map the records of devices lay when they were read last, so that the processor can be asked for them
/// some time before they are looked up: otherwise it waits for each page by itself.
///
/// A page is never read because of this, only asked for. One that is wrong by now costs a little time and can do no harm,
/// and no lock keeps readers apart.
///
/// It takes 4 MiB at most, for eight million devices, and only what is used of that.
struct RecordPrefetcher: Sendable {
    /// Neighbours lie side by side: one page stands for so many ids.
    private static let neighbours: UInt64 = 16
    private static let places = 1 << 19
    private static let pageBytes: UInt = 4_096

    private let pages = AtomicWords(count: places)

    /// Takes note of where a device's record lies.
    @inline(__always)
    func note(_ id: DeviceID, _ app: AppNumber, at record: UnsafeRawPointer) {
        guard let pages else { return }
        let (place, page) = (Self.place(id, app), UInt64(UInt(bitPattern: record) & ~(Self.pageBytes - 1)))
        // To write what is there already would take the line away from other processors.
        if pages[place] != page { pages[place] = page }
    }

    /// Asks for the page of a device's record, if it is known.
    @inline(__always)
    func prefetch(_ id: DeviceID, _ app: AppNumber) {
        guard let page = pages?[Self.place(id, app)], page != 0 else { return }
        Prefetch.page(UInt(truncatingIfNeeded: page))
    }

    @inline(__always)
    private static func place(_ id: DeviceID, _ app: AppNumber) -> Int {
        let neighbourhood = id.rawValue / neighbours &+ UInt64(app) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: neighbourhood & UInt64(places - 1))
    }
}
