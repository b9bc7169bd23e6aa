import Glibc
import NIOCore

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
