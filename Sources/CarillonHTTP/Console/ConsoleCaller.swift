import NIOCore

/// A user of the console, and the link on which requests are made.
// Safety: every use is on the loop of the port.
struct ConsoleCaller: @unchecked Sendable {
    var session: String
    var principal: String
    var address: String
    var link: LinkHandler
    var loop: any EventLoop
}
