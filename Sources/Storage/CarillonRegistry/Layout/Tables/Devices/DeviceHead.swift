import CarillonCore

/// The fields of a device that a delivery needs, without its texts.
struct DeviceHead {
    var environment: APNsEnvironment
    var kind: TokenKind
    var state: DeviceState
    var registeredAt: Timestamp
    var seenAt: Timestamp
}
