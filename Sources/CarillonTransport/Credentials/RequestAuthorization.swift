/// The header `authorization` of requests.
struct RequestAuthorization: Hashable, Sendable {
    /// The value. A secret: never logged.
    var value: String
    /// One more for each value that follows: it tells two apart.
    var generation: UInt64
    /// True if HPACK may insert it into the table: it is long, and no one else chooses what is in it.
    var isIndexed: Bool
}
