/// The arrival of a request: its time, and the ids of its response.
struct RequestArrival {
    /// The time at which the request came, in milliseconds since 1970.
    let milliseconds: Int64
    /// The error of the clock that judges the request, in seconds.
    var skewSeconds: Int64 = 0
    /// The id of the request, or the one that APNs makes for a request without one.
    let id: UnsafeRawBufferPointer
    /// The header `apns-unique-id` of a success; nil if it has none.
    var uniqueID: String?

    /// The time in seconds since 1970, by the clock that judges the request.
    var seconds: Int64 { milliseconds / 1_000 + skewSeconds }
}
