import CarillonSimulator

/// The answer to a push.
enum Verdict: Equatable {
    case accepted
    case rejected(Rejection)

    static func rejected(_ reason: Reason) -> Verdict {
        .rejected(Rejection(status: reason.status, reason: reason.rawValue))
    }
}

/// An answer other than 200.
struct Rejection: Hashable {
    var status: UInt16
    var reason: String
    /// When the token became invalid, in milliseconds since 1970.
    var timestamp: Int64?
    /// The header `retry-after`.
    var retryAfter: String?

    /// The JSON body of the answer.
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

    var status: UInt16 {
        switch self {
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken, .unrelatedKeyID: 403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates: 429
        default: 400
        }
    }
}
