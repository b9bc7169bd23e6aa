import NIOCore

/// The address of a client, as logs show it.
extension Channel {
    /// The client's IP address; `unix` if it is connected by a Unix socket.
    var clientAddress: String { remoteAddress?.ipAddress ?? "unix" }
}
