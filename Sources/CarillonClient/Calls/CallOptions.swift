/// The options of one call, and of a client that `CarillonClient.with` has made.
struct CallOptions: Sendable {
    /// nil: that of the configuration.
    var timeout: Duration?
    var isRepeated = true
}
