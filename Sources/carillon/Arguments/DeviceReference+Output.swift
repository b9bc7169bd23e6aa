import CarillonCommandLine
import CarillonCore

/// A device for users and as JSON.
extension DeviceReference {
    /// The device as text; a token is shortened.
    var text: String {
        switch self {
        case .id(let id): "device \(id)"
        case .address(let address): "token \(address.shortenedToken)"
        }
    }

    /// The device as JSON, as the caller gave it.
    var json: JSON {
        switch self {
        case .id(let id): .members(["device_id": .number(id.rawValue)])
        case .address(let address): .members(["token": .text(address.tokenText)])
        }
    }
}
