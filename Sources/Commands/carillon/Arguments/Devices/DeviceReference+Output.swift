import CarillonCommandLine
import CarillonCore

/// The output of a device for users and as JSON.
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
