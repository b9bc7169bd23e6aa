/// Checks a push by Apple's rules, without the rules that depend on the device. It does no I/O.
struct PushValidator {
    /// The bundle ids of the apps that pushes may go to.
    let apps: [[UInt8]]
    let tokenVerifier: ProviderTokenVerifier

    /// The credentials that one connection has shown so far.
    struct Credentials {
        /// The topics of the client's certificate, empty if it names none; nil if the client has no certificate. A
        /// connection with a certificate needs no provider token.
        var topics: [[UInt8]]?
        var hasCertificate: Bool { topics != nil }
        /// The `authorization` field in use, and the token that it has, verified.
        fileprivate var authorization: [UInt8] = []
        fileprivate var token: ProviderToken?
        /// The time at which the token in use was first used, in seconds since 1970.
        fileprivate var tokenSinceSeconds: Int64 = 0

        init(topics: [[UInt8]]? = nil) { self.topics = topics }
    }

    static let minimumTokenAgeSeconds: Int64 = 20 * 60

    /// Checks a push and returns the response and the device token. The order of the checks is: method, path, device
    /// token, duplicates, provider token, push type, topic, priority, expiration, id, collapse id, payload. The time
    /// is in seconds since 1970.
    func response(to push: ReceivedPush, with credentials: inout Credentials, atSeconds now: Int64)
        -> (response: SimulatedResponse, token: RawToken?)
    {
        guard push.method.equals("POST") else { return (.rejected(.methodNotAllowed), nil) }
        guard let hex = push.deviceToken else {
            let isBare = push.path.equals("/3/device")
            return (.rejected(isBare ? .missingDeviceToken : .badPath), nil)
        }
        guard !hex.isEmpty else { return (.rejected(.missingDeviceToken), nil) }
        guard let token = RawToken(hex: hex) else { return (.rejected(.badDeviceToken), nil) }
        if push.hasDuplicates { return (.rejected(.duplicateHeaders), token) }
        if let reason = authenticate(push.authorization, with: &credentials, atSeconds: now)
            ?? fault(in: push, credentials)
        {
            return (.rejected(reason), token)
        }
        return (.accepted, token)
    }

    /// Returns the fault of the provider token; nil if the token is valid.
    func authenticate(
        _ authorization: UnsafeRawBufferPointer?, with credentials: inout Credentials, atSeconds now: Int64
    ) -> Reason? {
        if credentials.hasCertificate { return nil }
        guard let authorization else { return .missingProviderToken }
        if let token = credentials.token, credentials.authorization.withUnsafeBytes({ $0.equals(authorization) }) {
            return token.isCurrent(atSeconds: now) ? nil : .expiredProviderToken
        }
        return adopt(authorization, with: &credentials, atSeconds: now)
    }

    /// Returns the fault of an authorization that the connection has not used before; nil if it is valid. A valid
    /// authorization is in use from now on.
    private func adopt(
        _ authorization: UnsafeRawBufferPointer, with credentials: inout Credentials, atSeconds now: Int64
    ) -> Reason? {
        guard let text = authorization.removing(prefix: "bearer ") ?? authorization.removing(prefix: "Bearer ") else {
            return .missingProviderToken
        }
        guard let token = tokenVerifier.verifiedToken(text) else { return .invalidProviderToken }
        guard token.isCurrent(atSeconds: now) else { return .expiredProviderToken }
        if let old = credentials.token {
            if old.team != token.team { return .invalidProviderToken }
            if old.keyID != token.keyID { return .unrelatedKeyID }
            if now - credentials.tokenSinceSeconds < PushValidator.minimumTokenAgeSeconds {
                return .tooManyProviderTokenUpdates
            }
        }
        credentials.token = token
        credentials.authorization = Array(authorization)
        credentials.tokenSinceSeconds = now
        return nil
    }

    /// Returns the fault of the other headers or the payload; nil if they are valid.
    private func fault(in push: ReceivedPush, _ credentials: Credentials) -> Reason? {
        var type = ReceivedPushType.alert
        if let value = push.pushType {
            guard let named = ReceivedPushType(value) else { return .invalidPushType }
            type = named
        }
        if credentials.hasCertificate, type.needsProviderToken { return .topicDisallowed }
        if let topic = push.topic {
            if let topics = credentials.topics, !topics.isEmpty {
                guard topics.contains(where: { $0.withUnsafeBytes { $0.equals(topic) } }) else {
                    return .topicDisallowed
                }
            }
            // The topic of an MDM certificate does not depend on any app.
            let isManagement = credentials.topics?.isEmpty == false && type == .mdm
            if !isManagement, let reason = fault(inTopic: topic, of: push.pushType == nil ? nil : type) {
                return reason
            }
        } else if credentials.topics?.count != 1 {
            // With a certificate that has one topic, the header may be missing.
            return .missingTopic
        }
        if let reason = fault(inPriority: push.priority, of: type) { return reason }
        if let expiration = push.expiration, expiration.decimal == nil { return .badExpirationDate }
        if push.id != nil, push.canonicalID == nil { return .badMessageID }
        if let collapseID = push.collapseID, collapseID.count > 64 { return .badCollapseID }
        return fault(inPayloadOf: push, type)
    }

    /// Returns the fault of the bundle id in the path of a request about channels; nil if it is valid. It has no
    /// suffix, and the token or the certificate must be for it.
    func fault(inBundle bundle: [UInt8], _ credentials: Credentials) -> Reason? {
        if let topics = credentials.topics, !topics.isEmpty, !topics.contains(bundle) { return .topicMismatch }
        if apps.contains(bundle) { return nil }
        let hasSuffix = ReceivedPushType.allCases.contains { type in
            let suffix = Array(type.topicSuffix.description.utf8)
            return !suffix.isEmpty && bundle.count > suffix.count && bundle.suffix(suffix.count).elementsEqual(suffix)
        }
        return hasSuffix ? .topicDisallowed : .topicMismatch
    }

    /// Returns the fault of a topic; nil if it is valid. A topic is a bundle id and the suffix of its type; without a
    /// type, any type's suffix.
    private func fault(inTopic topic: UnsafeRawBufferPointer, of type: ReceivedPushType?) -> Reason? {
        guard (1...255).contains(topic.count), topic.allSatisfy({ isTopicCharacter($0) }) else { return .badTopic }
        for app in apps where topic.count >= app.count {
            let isPrefix = app.withUnsafeBytes { $0.equals(UnsafeRawBufferPointer(rebasing: topic[..<app.count])) }
            guard isPrefix else { continue }
            let suffix = topic.dropFirst(bytes: app.count)
            if let type {
                if suffix.equals(type.topicSuffix) { return nil }
            } else if ReceivedPushType.allCases.contains(where: { suffix.equals($0.topicSuffix) }) {
                return nil
            }
        }
        return .topicDisallowed
    }

    private func isTopicCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Returns the fault of a priority; nil if it is valid. Without a priority a push has 10, which is an error for a
    /// background push.
    private func fault(inPriority priority: UnsafeRawBufferPointer?, of type: ReceivedPushType) -> Reason? {
        let isBackground = type == .background
        guard let priority else { return isBackground ? .badPriority : nil }
        if priority.equals("10") { return isBackground ? .badPriority : nil }
        return priority.equals("5") || priority.equals("1") ? nil : .badPriority
    }

    /// Returns the fault of a payload; nil if it is valid. A payload that is not a JSON object counts as empty.
    private func fault(inPayloadOf push: ReceivedPush, _ type: ReceivedPushType) -> Reason? {
        if push.payloadLength == 0 { return .payloadEmpty }
        if push.payloadLength > type.maximumPayloadBytes { return .payloadTooLarge }
        return JSONScanner.isObject(push.payload) ? nil : .payloadEmpty
    }
}
