/// The header `authorization` of requests.
struct RequestAuthorization: Hashable, Sendable {
    /// A secret: never logged.
    var value: String
    /// The number of the value: each new value has a greater one, so two can be compared without their bytes.
    var generation: UInt64
    /// True if HPACK may insert the value into its table: it is long, and no client can choose a part of it.
    var isIndexed: Bool
}
