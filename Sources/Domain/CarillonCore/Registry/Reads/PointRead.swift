/// A read of the registry that needs only a few rows.
package enum PointRead: Hashable, Sendable {
    /// The device of that reference, active or quarantined (Protocol 7.4).
    case device(DeviceReference)
    /// The status of a message (Protocol 10.2).
    case status(MessageID)
}
