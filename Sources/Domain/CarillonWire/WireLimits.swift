import CarillonCore

/// The limits of Protocol 17 that hold on both sides.
package enum WireLimits {
    /// The largest payload before the connection is open, in bytes.
    package static let frameBytesBeforeOpen: UInt32 = 4_096
    /// The largest payload of an open connection, in bytes.
    package static let frameBytes: UInt32 = 1_048_576
    /// The most items of a batch, and devices of an audience.
    package static let batchItems = 1_000
    /// The most rows of one page of a listing.
    package static let pageRows = 1_000
    /// The most topics of one SUBSCRIBE or UNSUBSCRIBE, and groups of an audience.
    package static let namesPerRequest = 1_000
    /// The longest name of a group or topic, and prefix of names, in bytes.
    package static let nameBytes = 200
    /// The most apps, and kinds, in the filter of a subscription of events.
    package static let eventFilterEntries = 64
    /// The longest name of a subscription of events, in bytes.
    package static let subscriberNameBytes = 64
    /// The most subscriptions of events of one connection.
    package static let eventSubscriptionsPerConnection = 8
    /// The most outcomes that a RESEND names.
    package static let resendOutcomes = 64
    /// The greatest time from now to the time of a scheduled message, in milliseconds: 366 days.
    package static let scheduleMilliseconds: UInt64 = 366 * Milliseconds.perDay
    /// The longest API key, in bytes.
    package static let credentialBytes = 256
}
