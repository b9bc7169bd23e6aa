package import CarillonCore
import CarillonLMDB

extension LMDBRegistry {
    /// The device of that reference, active or quarantined.
    package func device(_ reference: DeviceReference, of app: AppID) throws(RegistryError) -> Device? {
        try read { transaction, layout in
            guard let app = try layout.apps.get(transaction, app)?.number else { return nil }
            switch reference {
            case .id(let id):
                return try layout.devices.get(transaction, app, id)
            case .address(let address):
                guard case .device(let id) = try layout.addresses.get(transaction, app, address) else { return nil }
                guard let device = try layout.devices.get(transaction, app, id) else {
                    throw RegistryError.corrupted("addresses: a device that is not there")
                }
                return device
            }
        }
    }
}
