/// The numbers of Protocol 11 that both sides must agree on.
package enum WireLimits {
    /// Largest payload before the connection is open, in bytes.
    package static let frameBytesBeforeOpen: UInt32 = 4_096
    /// Largest payload of an open connection, in bytes.
    package static let frameBytes: UInt32 = 1_048_576
    /// Items of a batch, devices of an audience.
    package static let batch = 1_000
    /// Rows of one page of MESSAGE_OUTCOMES.
    package static let outcomesPage = 1_000
    /// Bytes of an API key.
    package static let credentialBytes = 256
}
