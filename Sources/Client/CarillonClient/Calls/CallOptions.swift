/// The options of one call, and of a client that `CarillonClient.with` has made.
struct CallOptions: Sendable {
    /// The time that the call may take; nil for the time of the configuration.
    var timeout: Duration?
    var isRepeated = true
}
