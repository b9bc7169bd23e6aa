/// The numbers of Protocol 11 that both sides must agree on.
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
    /// Bytes of a name of a group or topic, and of what such names are sought by.
    package static let nameBytes = 200
    /// Bytes of an API key.
    package static let credentialBytes = 256
}
