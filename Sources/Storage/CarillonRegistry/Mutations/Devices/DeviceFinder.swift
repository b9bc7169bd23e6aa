import CarillonCore
import CarillonLMDB

/// Finds the devices that callers refer to, by id or by address.
final class DeviceFinder {
    private let tables: Tables
    private let tokenIndex: TokenIndex
    private let sets: SetCache

    init(tables: Tables, tokenIndex: TokenIndex, sets: SetCache) {
        self.tables = tables
        self.tokenIndex = tokenIndex
        self.sets = sets
    }

    func device(
        _ reference: DeviceReference, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceRecord? {
        switch reference {
        case .id(let id):
            return try tables.devices.get(id, app: app, in: transaction)
        case .address(let address):
            return try tokenIndex.device(at: address, app: app, in: transaction)
        }
    }

    func state(
        of reference: DeviceReference, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> (id: DeviceID, state: DeviceState)? {
        switch reference {
        case .id(let id):
            return try state(of: id, app: app, in: transaction).map { (id, $0) }
        case .address(let address):
            guard let id = try tokenIndex.id(at: address, app: app, in: transaction) else { return nil }
            guard let state = try state(of: id, app: app, in: transaction) else {
                throw RegistryError.corrupted("addresses: device \(id) has no row in devices")
            }
            return (id, state)
        }
    }

    private func state(
        of id: DeviceID, app: AppNumber, in transaction: borrowing WriteTransaction
    ) throws -> DeviceState? {
        // Active devices are found in the set of all, which is in memory. Reading the record would cost a page for each
        // device.
        if id.rawValue < AppTable.deviceBound, let all = try sets.allDevices(of: app, in: transaction),
            try sets.contains(id, within: all, in: transaction)
        {
            return .active
        }
        return try tables.devices.state(id, app: app, in: transaction)
    }
}
