import NIOCore

/// A user of the console, and the connection on which requests are made.
// Safety: every use is on the loop of the port.
struct ConsoleCaller: @unchecked Sendable {
    /// The name of the principal whose key the user has given.
    var principal: String
    /// The address of the user's browser, as the audit lines show it.
    var address: String
    /// The connection within the process, to a session of the server, on which the requests are made.
    var connection: InProcessConnection
    /// The event loop of the port.
    var loop: any EventLoop
}
