import CarillonCore
import CarillonLMDB

/// Who holds an address: by a hint if there is a good one, else by `addresses`.
extension Layout {
    /// The record of the device that holds an address; nothing if no device does.
    func device(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Device? {
        try device(at: address, app, hint: hints.device(at: address, app), transaction)
    }

    /// The record of the device that holds an address, of which there is that hint; nothing if no device does.
    func device(
        at address: DeviceAddress,
        _ app: AppNumber,
        hint: DeviceID?,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Device? {
        if let hint, let device = try devices.get(transaction, app, hint, at: address) { return device }
        guard let id = try storedID(at: address, app, transaction) else { return nil }
        guard let device = try devices.get(transaction, app, id) else {
            throw RegistryError.corrupted("addresses: a device that is not there")
        }
        return device
    }

    /// The id of the device that holds an address; nothing if no device does.
    func id(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceID? {
        if let hint = hints.device(at: address, app), try devices.bears(address, transaction, app, hint) { return hint }
        return try storedID(at: address, app, transaction)
    }

    /// The record of the device that holds an address, if there is a hint of it.
    func hintedDevice(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> Device? {
        guard let hint = hints.device(at: address, app) else { return nil }
        return try devices.get(transaction, app, hint, at: address)
    }

    private func storedID(
        at address: DeviceAddress,
        _ app: AppNumber,
        _ transaction: borrowing some Transaction & ~Copyable
    ) throws -> DeviceID? {
        guard case .device(let id) = try addresses.get(transaction, app, address) else { return nil }
        hints.note(id, at: address, app)
        return id
    }
}
