import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Damage to devices, addresses, tombstones and the quarantine: the verifier finds it, and what follows from it.
struct VerifierDeviceTests {
    static let damages = [
        RegistryDamage("an active device among the quarantined", finds: .quarantineDiffers(app: 1, deviceID(2))) {
            transaction, tables in
            try tables.quarantine.put(timestamp(1), for: deviceID(2), app: 1, in: &transaction)
        },
        RegistryDamage("a note of a device that is not quarantined", finds: .expiryOfNothing(kind: 4, at: timestamp(1)))
        { transaction, tables in
            try tables.expiry.insert(.quarantined(1, deviceID(2)), from: timestamp(1), in: &transaction)
        },
        RegistryDamage("a device with an address without a row", finds: .deviceWithoutAddress(app: 1, deviceID(1))) {
            transaction, tables in
            try tables.addresses.delete(tables.digest(of: address(1), app: 1), app: 1, in: &transaction)
        },
        RegistryDamage(
            "an address that another has", finds: .addressWithoutDevice(app: 1, deviceID(1)), amongOthers: true
        ) { transaction, tables in
            try tables.addresses.put(
                .device(deviceID(1)), for: tables.digest(of: address(2), app: 1), app: 1, in: &transaction)
        },
        RegistryDamage("an address of no device", finds: .addressWithoutDevice(app: 1, deviceID(77))) {
            transaction, tables in
            try tables.addresses.put(
                .device(deviceID(77)), for: tables.digest(of: address(9), app: 1), app: 1, in: &transaction)
        },
        RegistryDamage(
            "a tombstone at an address that was never heard of", finds: .orphanedTombstone(app: 1, address(9))
        ) { transaction, tables in
            try tables.tombstones.put(
                Tombstone(unregisteredAt: timestamp(1), writtenAt: timestamp(2)), for: address(9), app: 1,
                in: &transaction)
            try tables.expiry.insert(.tombstone(1, address(9)), from: timestamp(2), in: &transaction)
        },
        RegistryDamage("an unregistered address without a tombstone", finds: .tombstonesDiffer(app: 1)) {
            transaction, tables in
            try tables.addresses.put(.tombstone, for: tables.digest(of: address(9), app: 1), app: 1, in: &transaction)
        },
        RegistryDamage("a tombstone that is kept for ever", finds: .tombstoneWithoutExpiry(app: 1, address(9))) {
            transaction, tables in
            try tables.addresses.put(.tombstone, for: tables.digest(of: address(9), app: 1), app: 1, in: &transaction)
            try tables.tombstones.put(
                Tombstone(unregisteredAt: timestamp(1), writtenAt: timestamp(2)), for: address(9), app: 1,
                in: &transaction)
        },
        RegistryDamage("silent pushes of no device", finds: .silentWithoutDevice(app: 1, deviceID(77))) {
            transaction, tables in
            try tables.silentPushes.put([timestamp(1)], for: deviceID(77), app: 1, in: &transaction)
        },
    ]

    @Test(arguments: damages)
    func `the verifier finds the damage`(_ damage: RegistryDamage) throws { try damage.expectFound() }
}
