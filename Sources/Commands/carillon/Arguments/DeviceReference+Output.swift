import CarillonClient
import CarillonCommandLine
import CarillonCore

/// Formats a reference to a device for users and as JSON.
extension DeviceReference {
    /// The device as text; a token is shortened.
    var text: String {
        switch self {
        case .id(let id): "device \(id)"
        case .address(let address): "token \(address.shortenedToken)"
        }
    }

    /// The device as JSON, with the token or the id that the caller gave.
    var json: JSON {
        switch self {
        case .id(let id): .members(["device_id": .number(id.rawValue)])
        case .address(let address): .members(["token": .text(address.tokenText)])
        }
    }
}

/// Formats devices of a request that the server reports by their index.
extension [DeviceReference] {
    /// Returns the device of that index; nil if the server's index is out of range.
    func at(_ index: Int) -> DeviceReference? { indices.contains(index) ? self[index] : nil }

    /// Prints the devices that are not registered.
    ///
    /// - Throws: `ExitStatus.refused` if there is one.
    func reportUnknown(_ unknown: [Int], quietly: Bool) throws {
        guard !unknown.isEmpty else { return }
        if !quietly {
            for device in unknown.compactMap(at) { StandardError.printLine("  not registered: \(device.text)") }
        }
        throw ExitStatus.refused
    }

    /// Shows how many memberships or subscriptions have changed: as text after `title`, in JSON under `key`.
    ///
    /// - Throws: `ExitStatus.refused` if a device is not registered.
    func showChanges(_ count: Int, unknown: [Int], title: String, key: String, isJSON: Bool) throws {
        StandardOutput.printLine(
            isJSON
                ? JSON.members([
                    key: .number(UInt64(count)),
                    "unknown": .list(unknown.compactMap { at($0)?.json }),
                ]).line
                : "\(title) \(count.grouped)"
        )
        try reportUnknown(unknown, quietly: isJSON)
    }
}

extension Int {
    /// The number with the noun "device" or "devices".
    var devices: String { "\(grouped) \(self == 1 ? "device" : "devices")" }
}
