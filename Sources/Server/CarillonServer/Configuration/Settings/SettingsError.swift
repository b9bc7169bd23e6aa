import Glibc
import NIOCore

/// A setting, or a file that a setting names, that cannot be used. The server does not start with it, and a reload
/// changes nothing.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The setting or file.
    package var place: String
    /// The fault and its remedy.
    package var text: String

    package init(_ place: String, fault text: String) {
        self.place = place
        self.text = text
    }

    package var description: String { "\(place): \(text)" }
}

/// Errors of addresses that cannot be listened on.
extension SettingsError {
    /// Makes an error for an address that cannot be listened on: the address, the settings that name it, and the cause.
    init(listeningOn address: String, of settings: Setting..., because error: any Error) {
        let why =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: "\(address) is in use: another process listens there"
            case EADDRNOTAVAIL: "\(address) is not an address of this machine"
            case EACCES: "\(address) may not be listened on by this user"
            default: "cannot listen on \(address): \(error)"
            }
        self.init(settings.map(\.name).joined(separator: ", "), fault: why)
    }
}
