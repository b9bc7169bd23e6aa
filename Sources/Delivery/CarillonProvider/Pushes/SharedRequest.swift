/// The parts of a request that all devices of a message share: made once a message and language, and sent many times.
package struct SharedRequest: Hashable, Sendable {
    package struct Header: Hashable, Sendable {
        /// The name in lower case.
        package var name: String
        package var value: String
        /// True if HPACK inserts it into the table: its value is the same from push to push.
        package var isIndexed: Bool

        package init(name: String, value: String, isIndexed: Bool) {
            self.name = name
            self.value = value
            self.isIndexed = isIndexed
        }
    }

    /// The fields in the order of sending, without the authorization.
    package var headers: [Header]
    /// The body, or its beginning: `RequestParts.bodyEnd` follows.
    package var body: [UInt8]
    /// The age at which the parts are made again, in milliseconds, because a time in them has changed; nil if they stay
    /// as they are.
    package var maximumAgeMilliseconds: UInt64?

    package init(headers: [Header], body: [UInt8], maximumAgeMilliseconds: UInt64? = nil) {
        self.headers = headers
        self.body = body
        self.maximumAgeMilliseconds = maximumAgeMilliseconds
    }
}
