import CarillonHTTP2Server
package import NIOCore

/// The part of a connection that is the service's own. It judges the requests of one client, and responds to them.
package protocol Responder: AnyObject {
    /// Begins the service's part of a connection whose TLS is complete, before any request is read. To refuse the
    /// client, it ends the connection.
    func connectionOpened(_ connection: SimulatorConnection, on context: ChannelHandlerContext) throws
    /// Responds to the requests that were received, now or later.
    func respond(on connection: SimulatorConnection, in context: ChannelHandlerContext) throws
    /// Applies a stream limit that has changed for all connections.
    func maxStreamsChanged(to limit: UInt32, on connection: SimulatorConnection) throws
}

extension Responder {
    package func connectionOpened(_ connection: SimulatorConnection, on context: ChannelHandlerContext) throws {}

    package func maxStreamsChanged(to limit: UInt32, on connection: SimulatorConnection) throws {
        try connection.http.update(maxConcurrentStreams: limit)
    }
}
