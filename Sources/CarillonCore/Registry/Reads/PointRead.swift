/// A read of the registry that needs only a few rows.
package enum PointRead: Hashable, Sendable {
    /// The device of that reference, active or quarantined (Protocol 7.4).
    case device(DeviceReference)
    /// The status of a message (Protocol 10.2).
    case status(MessageID)
}

/// The result of a `PointRead`.
package enum PointReadResult: Hashable, Sendable {
    case device(Device)
    /// The status of the message, without its rate, which the registry does not know. Indirect: it is rare, and so
    /// large that the device of each lookup would be copied with its bytes.
    indirect case status(MessageStatus)
}
