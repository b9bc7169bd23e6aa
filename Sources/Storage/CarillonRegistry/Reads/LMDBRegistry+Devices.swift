package import CarillonCore
import CarillonLMDB

/// The devices of an app: lists of them, and single ones.
extension LMDBRegistry {
    /// Returns a page of all devices of an app, active and quarantined; `cursor` is the first id that is looked for.
    package func devices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DevicePage {
        try readAfterCheckpoint { transaction, tables in
            var page = DevicePage(next: 0, devices: [])
            guard let app = try tables.apps.get(app, in: transaction)?.number else { return page }
            let limit = Self.pageLimit(limit)
            page.devices = try Self.devices(
                of: app, from: DeviceID(rawValue: cursor), limit: limit + 1, tables: tables, in: transaction)
            if page.devices.count > limit, let next = page.devices.popLast() { page.next = next.id.rawValue }
            guard let muted = try tables.sets.get(.muted, app: app, in: transaction)?.number else { return page }
            for index in page.devices.indices {
                let held = try tables.memberships.get(page.devices[index].id, app: app, in: transaction)
                page.devices[index].isMuted = held.topics.containsSorted(muted)
            }
            return page
        }
    }

    /// Returns at most `limit` devices from an id on, ascending; it does not say whether they are muted.
    static func devices(
        of app: AppNumber, from first: DeviceID, limit: Int, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> [DeviceRecord] {
        guard first.rawValue < AppTable.deviceBound else { return [] }
        var devices: [DeviceRecord] = []
        try tables.devices.forEach(app: app, from: first, in: transaction) { device in
            devices.append(device)
            return devices.count < limit ? .proceed : .stop
        }
        return devices
    }

    /// Returns a page of quarantined devices; `cursor` is the first id that is looked for.
    package func quarantinedDevices(of app: AppID, cursor: UInt64, limit: Int) throws(RegistryError) -> DeviceIDPage {
        try readAfterCheckpoint { transaction, tables in
            var page = DeviceIDPage(next: 0, devices: [])
            guard cursor < AppTable.deviceBound, let app = try tables.apps.get(app, in: transaction)?.number else {
                return page
            }
            let limit = Self.pageLimit(limit)
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
    }

    /// Returns the record of a device, which does not say whether it is muted; nil if there is no such device.
    static func device(
        _ reference: DeviceReference, app: AppNumber, tables: Tables, in transaction: borrowing ReadTransaction
    ) throws -> DeviceRecord? {
        switch reference {
        case .id(let id):
            return try tables.devices.get(id, app: app, in: transaction)
        case .address(let address):
            return try tables.device(at: address, app: app, in: transaction)
        }
    }
}
