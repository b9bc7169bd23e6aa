public import CarillonCore
import CarillonWire

/// The description of the server and the client that a connection begins with (Protocol 6.1 and 6.2).
public struct ServerInfo: Hashable, Sendable {
    /// The name and version of the server.
    public var software: String
    /// The name of the server's history. If it changes, earlier ids and sequence numbers no longer mean anything.
    public var epoch: UUIDBytes
    /// The server's time when the connection opened.
    public var clock: Timestamp
    /// The most items in a batch, and the most devices in the audience of a message.
    public var batchLimit: Int
    /// The maximum number of bytes of one request.
    public var frameLimit: Int
    /// The most requests that may wait for their answers on a connection; further ones wait in the client.
    public var inFlightLimit: Int
    /// How long the server remembers an idempotency key.
    public var idempotencyWindow: Duration
    /// The principal that the server has recognised; nil if a certificate named it.
    public var principal: String?
    /// The grants of the client; empty if a certificate named the principal.
    public var grants: [Grant]
    /// The name of the node of a cluster that answered; nil if the server belongs to no cluster.
    public var node: String?
    /// The cluster of the node; nil if the server belongs to no cluster.
    public var cluster: UUIDBytes?

    init(_ helloAnswer: HelloAnswer, authenticateAnswer: AuthenticateAnswer?) {
        software = helloAnswer.software
        epoch = helloAnswer.epoch
        clock = helloAnswer.clock
        batchLimit = Int(helloAnswer.limits.batchItems)
        frameLimit = Int(helloAnswer.limits.frameBytes)
        inFlightLimit = Int(helloAnswer.limits.requestsInFlight)
        idempotencyWindow = .seconds(Int64(helloAnswer.limits.idempotencyWindowSeconds))
        principal = authenticateAnswer?.principal
        grants = authenticateAnswer?.grants ?? []
        node = helloAnswer.node?.name
        cluster = helloAnswer.node?.cluster
    }
}
