/// What happened on a server session, in order.
package enum ServerEvent {
    /// A request is whole. Its memory is valid until the call that hands it over returns.
    case request(Request)
    /// A stream is over, answered or not.
    case streamClosed(stream: Int32, errorCode: ErrorCode)
    /// The client announced settings.
    case settings(RemoteSettings)
    /// The client has applied our newest settings.
    case settingsAcknowledged
    /// The client is leaving.
    case goAway(errorCode: ErrorCode)
    /// The answer to `ping(_:)`, with its value.
    case pingAcknowledged(UInt64)
}

/// A request as it came: bytes in the session's own memory, without Strings.
package struct Request {
    /// The stream to answer on.
    package let stream: Int32
    let slot: UnsafeMutablePointer<ServerStream>

    /// The number of header fields, pseudo headers included; fields after the body do not count.
    package var headerCount: Int { slot.pointee.fields.count }

    /// Calls `body` with each field's name, in lower case, and value, in the order in which they came.
    package func forEachHeader(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        guard let text = slot.pointee.fields.texts.baseAddress else { return }
        for index in 0..<slot.pointee.fields.count {
            let entry = slot.pointee.fields.entries[index]
            let name = text + Int(entry.start)
            body(
                UnsafeRawBufferPointer(start: name, count: Int(entry.nameLength)),
                UnsafeRawBufferPointer(start: name + Int(entry.nameLength), count: Int(entry.valueLength))
            )
        }
    }

    /// The body, cut at the session's limit.
    package var body: UnsafeRawBufferPointer { slot.pointee.body.bytes }

    /// The length of the whole body in bytes, also of what was cut.
    package var bodyLength: Int { slot.pointee.bodyLength }
}

/// Limits that a server session announces and keeps.
package struct ServerSettings: Sendable {
    /// How many streams a client may open at a time.
    package var maxConcurrentStreams: UInt32 = 1000
    /// The size of our header compression table for requests, in bytes.
    package var headerTableSize: UInt32 = 4096
    /// The receive window of a stream, in bytes.
    package var initialWindowSize: UInt32 = 65_535
    /// The receive window of the connection, in bytes; 65,535 to 2,147,483,647.
    package var connectionWindowSize: Int32 = 65_535
    /// The longest header list that is taken, in bytes, at most 65,535; a longer one resets its stream.
    package var maxHeaderListSize: UInt32 = 8_000
    /// How much of a request's body is kept, in bytes.
    package var maxBodyBytes: Int = 8 << 10
    /// How many stream resets a client may send at once, and how many more each second.
    package var resetLimit: (burst: UInt64, perSecond: UInt64) = (1000, 33)

    /// The settings that APNs has been seen to announce.
    package init() {}
}
