/// The limits of Protocol 11 that hold on both sides.
package enum WireLimits {
    /// Largest payload before the connection is open, in bytes.
    package static let frameBytesBeforeOpen: UInt32 = 4_096
    /// Largest payload of an open connection, in bytes.
    package static let frameBytes: UInt32 = 1_048_576
    /// Items of a batch, devices of an audience.
    package static let batch = 1_000
    /// Rows of one page of a listing.
    package static let page = 1_000
    /// Topics of one SUBSCRIBE or UNSUBSCRIBE; groups of an audience.
    package static let names = 1_000
    /// Bytes of a name of a group or topic, and of a prefix of names.
    package static let nameBytes = 200
    /// Apps, and kinds, in the filter of a subscription of events.
    package static let eventFilter = 64
    /// Bytes of the name of a subscription of events.
    package static let subscriberNameBytes = 64
    /// Subscriptions of events of one connection.
    package static let eventSubscriptions = 8
    /// Outcomes that a RESEND names.
    package static let outcomes = 64
    /// Time from now to the time of a scheduled message at most, in milliseconds: 366 days.
    package static let scheduleMilliseconds: UInt64 = 366 * 86_400_000
    /// Bytes of an API key.
    package static let credentialBytes = 256
}
