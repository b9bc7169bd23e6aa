/// A read of a few rows.
package enum PointRead: Hashable, Sendable {
    /// The device of that reference, active or quarantined (Protocol 7.4).
    case device(DeviceReference)
    /// The status of a message (Protocol 8.2).
    case status(MessageID)
}

/// The result of a `PointRead`.
package enum PointReadResult: Hashable, Sendable {
    /// The device.
    case device(Device)
    /// The status; the registry does not know its rate.
    case status(MessageStatus)
}
