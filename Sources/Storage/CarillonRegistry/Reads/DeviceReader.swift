import CarillonCore
import CarillonLMDB

/// A reader of the devices of an app, in pages. The cursor of a page is the first id that is looked for.
struct DeviceReader {
    private let app: AppNumber
    private let tables: Tables

    /// Makes a reader; nil if there is no such app.
    init?(app: AppID, tables: Tables, in transaction: borrowing ReadTransaction) throws {
        guard let number = try tables.apps.get(app, in: transaction)?.number else { return nil }
        self.app = number
        self.tables = tables
    }

    /// Returns a page of all devices, active and quarantined.
    func all(cursor: UInt64, limit: Int, in transaction: borrowing ReadTransaction) throws -> DevicePage {
        let limit = RegistryLimits.pageLimit(limit)
        var page = DevicePage(next: 0, devices: [])
        page.devices = try tables.devices.devices(
            app: app, from: DeviceID(rawValue: cursor), limit: limit + 1, in: transaction)
        if page.devices.count > limit, let next = page.devices.popLast() { page.next = next.id.rawValue }
        guard let muted = try tables.sets.get(.muted, app: app, in: transaction)?.number else { return page }
        for index in page.devices.indices {
            let held = try tables.memberships.get(page.devices[index].id, app: app, in: transaction)
            page.devices[index].isMuted = held.topics.containsSorted(muted)
        }
        return page
    }

    func quarantined(cursor: UInt64, limit: Int, in transaction: borrowing ReadTransaction) throws -> DeviceIDPage {
        var page = DeviceIDPage.empty
        guard cursor < AppTable.deviceBound else { return page }
        let limit = RegistryLimits.pageLimit(limit)
        try tables.quarantine.forEach(app: app, from: DeviceID(rawValue: cursor), in: transaction) { id in
            guard page.devices.count < limit else {
                page.next = id.rawValue
                return .stop
            }
            page.devices.append(id)
            return .proceed
        }
        return page
    }

    /// Returns a page of the devices of a set. A set that does not exist has none.
    func members(
        of set: SetName, cursor: UInt64, limit: Int, in transaction: borrowing ReadTransaction
    ) throws -> DeviceIDPage {
        var page = DeviceIDPage.empty
        guard cursor < AppTable.deviceBound,
            let number = try tables.sets.get(SetLabel(set), app: app, in: transaction)?.number
        else { return page }
        let limit = RegistryLimits.pageLimit(limit)
        let first = DeviceID(rawValue: cursor)
        try tables.postings.forEach(app: app, set: number, from: first.chunk, in: transaction) { chunk, bits in
            page.fill(with: bits, of: chunk, from: first, limit: limit)
        }
        return page
    }
}

extension DeviceIDPage {
    /// A page without devices, after which no page follows.
    static let empty = DeviceIDPage(next: 0, devices: [])

    /// Adds the devices of a chunk, from `first` on, until the page is full.
    mutating func fill(with bits: ChunkBits, of chunk: ChunkNumber, from first: DeviceID, limit: Int) -> IterationStep {
        for offset in bits {
            let id = DeviceID(chunk: chunk, offset: offset)
            guard id >= first else { continue }
            guard devices.count < limit else {
                next = id.rawValue
                return .stop
            }
            devices.append(id)
        }
        return .proceed
    }
}
