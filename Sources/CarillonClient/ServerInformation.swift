public import CarillonCore
import CarillonWire

/// What the server says of itself and of the client when a connection opens (Protocol 6.1 and 6.2).
public struct ServerInformation: Hashable, Sendable {
    /// Name and version.
    public var software: String
    /// Changes when the server's history is gone; ids of an older epoch mean nothing.
    public var epoch: UUIDBytes
    /// The server's time when the connection opened.
    public var clock: Timestamp
    /// Items of a batch, devices of a message.
    public var batchLimit: Int
    /// Bytes of one request.
    public var frameLimit: Int
    /// Requests outstanding on a connection; more wait in the client.
    public var inFlightLimit: Int
    /// How long an idempotency key is remembered.
    public var idempotencyWindow: Duration
    /// Who the server takes the client for; nil if a certificate said so.
    public var principal: String?
    /// What the client may do, if the server has said so.
    public var grants: [Grant]

    init(_ welcome: Welcome, _ identity: Identity?) {
        software = welcome.software
        epoch = welcome.epoch
        clock = welcome.clock
        batchLimit = Int(welcome.batchLimit)
        frameLimit = Int(welcome.frameLimit)
        inFlightLimit = Int(welcome.inFlightLimit)
        idempotencyWindow = .seconds(Int64(welcome.idempotencyWindowSeconds))
        principal = identity?.principal
        grants = identity?.grants ?? []
    }
}

/// What a registration came to.
public struct RegisteredDevice: Hashable, Sendable {
    /// The server's number for the device.
    public var id: DeviceID
    /// What was done.
    public var result: RegistrationResult

    /// Makes it.
    public init(id: DeviceID, result: RegistrationResult) {
        self.id = id
        self.result = result
    }
}
