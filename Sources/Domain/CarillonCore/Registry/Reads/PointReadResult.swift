package enum PointReadResult: Hashable, Sendable {
    case device(DeviceRecord)
    /// The status of the message, without its rate, which the registry does not know. Indirect: it is rare, and so
    /// large that the device of each lookup would be copied with its bytes.
    indirect case status(MessageStatus)
}
