package import CarillonCore

/// The request QUARANTINE (Protocol 7.8).
package struct QuarantineRequest: DeviceListingOperation {
    package typealias Answer = DeviceIDPage

    package static let opcode = Opcode.quarantine

    package var listing: DeviceListing

    package init(_ listing: DeviceListing) {
        self.listing = listing
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<DeviceIDPage, RequestError> {
        .success(try registry.quarantinedDevices(of: app, cursor: cursor, limit: Int(limit)))
    }
}

extension Opcode {
    package static let quarantine = Opcode(rawValue: 0x0017)
}
