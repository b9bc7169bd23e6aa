import CarillonSimulator

/// The response to a request.
enum Response: Equatable {
    case accepted
    case rejected(Rejection)
    case channel(ChannelResponse)

    static func rejected(_ reason: Reason) -> Response {
        .rejected(Rejection(reason))
    }
}

/// A response of channel management, or to a broadcast push.
struct ChannelResponse: Equatable {
    var status: UInt16
    /// The header `apns-request-id`.
    var requestID: String
    /// The header `apns-channel-id`: the id of a new channel.
    var channelID: String?
    /// The header `apns-unique-id`: of a broadcast push that was accepted.
    var uniqueID: String?
    /// The header `retry-after`.
    var retryAfter: String?
    var body = ""
    /// Apple's reason; empty for a success.
    private(set) var reason = ""

    init(status: UInt16, requestID: String) {
        self.status = status
        self.requestID = requestID
    }

    /// Makes it a refusal.
    mutating func refuse(_ rejection: Rejection) {
        (status, body, retryAfter, reason) = (rejection.status, rejection.body, rejection.retryAfter, rejection.reason)
    }
}

/// A response other than 200.
struct Rejection: Error, Hashable {
    var status: UInt16
    var reason: String
    /// When the token became invalid, in milliseconds since 1970.
    var timestamp: Int64?
    /// The header `retry-after`.
    var retryAfter: String?

    init(status: UInt16, reason: String, timestamp: Int64? = nil, retryAfter: String? = nil) {
        self.status = status
        self.reason = reason
        self.timestamp = timestamp
        self.retryAfter = retryAfter
    }

    init(_ reason: Reason) { self.init(status: reason.status, reason: reason.rawValue) }

    /// The JSON body of the response.
    var body: String {
        let time = timestamp.map { ",\"timestamp\":\($0)" } ?? ""
        return "{\"reason\":\(quoted(reason))\(time)}"
    }
}

/// Apple's reasons that the simulator gives without a rule.
enum Reason: String, CaseIterable {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyID = "UnrelatedKeyIdInToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case badChannelID = "BadChannelId"
    case badRequestParams = "BadRequestParams"
    case badRequestPayload = "BadRequestPayload"
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    case channelNotRegistered = "ChannelNotRegistered"
    case missingChannelID = "MissingChannelId"
    case missingPushType = "MissingPushType"
    case topicMismatch = "TopicMismatch"

    var status: UInt16 {
        switch self {
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken, .unrelatedKeyID, .topicMismatch: 403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates: 429
        default: 400
        }
    }
}
