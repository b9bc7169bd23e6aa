import CarillonSimulator

/// A response of channel management, or to a broadcast push.
struct ChannelResponse: Equatable {
    var status: UInt16
    var requestID: String
    /// The header `apns-channel-id`: the id of a new channel; nil for other responses.
    var channelID: String?
    /// The header `apns-unique-id`; nil if the response is not to a broadcast push that was accepted.
    var uniqueID: String?
    var retryAfter: String?
    var body = ""
    /// Apple's reason; empty for a success.
    private(set) var reason = ""

    init(status: UInt16, requestID: String) {
        self.status = status
        self.requestID = requestID
    }

    /// Makes the response a refusal.
    mutating func refuse(_ rejection: Rejection) {
        status = rejection.status
        body = rejection.body
        retryAfter = rejection.retryAfter
        reason = rejection.reason
    }
}
