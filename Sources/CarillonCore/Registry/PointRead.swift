/// What is asked of the registry and answered from a few rows.
package enum PointRead: Hashable, Sendable {
    /// The device of that reference, active or quarantined (Protocol 7.4).
    case device(DeviceReference)
    /// How far a message has come (Protocol 8.2).
    case status(MessageID)
}

/// What an `PointRead` finds.
package enum PointReadResult: Hashable, Sendable {
    /// The device.
    case device(Device)
    /// How far the message has come; its rate is not known to the registry.
    case status(MessageStatus)
}
