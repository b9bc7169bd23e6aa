/// A field of an answer that the session reports.
package struct AnswerField: Sendable {
    /// The fields that are reported.
    package enum Name: UInt8, Sendable {
        /// `apns-channel-id`: the id of a new broadcast channel.
        case channelID = 1
        /// `apns-unique-id`: APNs' own id of a push.
        case uniqueID = 2
    }

    /// The caller's tag of the request.
    package var tag: UInt64
    /// The name of the field.
    package var name: Name
    var value: ByteRange
}
