import CarillonCore
import CarillonSimulator
import CarillonTLS

/// A push service of browsers (RFC 8030, RFC 8292): the checks of a message, and the messages that each browser has
/// received. Its state is under the lock of `PushServices`.
struct WebPush {
    /// A push service whose responses, their status and text, the simulator copies.
    // style: nested: “push service” is the term of RFC 8030
    enum PushService: String, CaseIterable, Sendable {
        case google, mozilla, apple, windows
    }

    /// The fault of a request.
    enum Fault: String, CaseIterable {
        case noTTL = "no-ttl"
        case badTTL = "bad-ttl"
        case badUrgency = "bad-urgency"
        case badTopic = "bad-topic"
        case noToken = "no-token"
        case badToken = "bad-token"
        case otherKey = "other-key"
        case badCoding = "bad-coding"
        case tooLarge = "too-large"
        case gone
        case unknown
        case throttled
    }

    /// The counts of one browser.
    struct Record {
        var acceptedCount = 0
        var refusedCount = 0
        var lastStatus: UInt16 = 0
        /// The plaintext of the newest message that could be read.
        var payload = ""
        var ttl = ""
        var urgency = ""
        var topic = ""
        /// The number of stored messages that a newer one with the same topic has replaced.
        var replacedCount = 0
        /// The key that the subscription was made with; empty until the first message, if none was given.
        fileprivate var key = ""
        fileprivate var topics: Set<String> = []
    }

    /// The largest body, in bytes (RFC 8030, section 7.2).
    private static let maximumBodyBytes = 4_096
    private static let maximumTopics = 64
    private static let maximumTokens = 1_024

    let service: PushService
    private let browsers: [String: Browser]
    private(set) var records: [String: Record] = [:]
    var goneBrowsers: Set<String> = []
    private(set) var acceptedCount = 0
    /// The number of accepted messages that no browser could read.
    private(set) var unreadableCount = 0
    /// The ends of the tokens that were verified, by the token, the key that has signed it, and the origin.
    private var verifiedTokenEnds: [String: Int64] = [:]

    init(service: PushService, browsers: [Browser], key: String?) {
        self.service = service
        self.browsers = Dictionary(browsers.map { ($0.id, $0) }) { first, _ in first }
        for browser in browsers { records[browser.id] = Record(key: key ?? "") }
    }

    /// The number of browsers that have received a message.
    var reachedCount: Int { records.values.count { $0.acceptedCount > 0 } }

    mutating func reset() {
        records = records.mapValues { Record(key: $0.key) }
        acceptedCount = 0
        unreadableCount = 0
    }

    /// Returns the browser that a request is about, and the response. `now` is in milliseconds since 1970.
    mutating func response(to request: ReceivedRequest, at now: Int64) -> (device: String, response: ServiceResponse) {
        let id = request.browser ?? ""
        guard request.method == "POST" else { return (id, response(to: .unknown)) }
        guard let browser = browsers[id], let key = records[id]?.key else { return (id, response(to: .unknown)) }
        let fault = goneBrowsers.contains(id) ? .gone : fault(in: request, boundTo: key, at: now)
        if let fault {
            let response = self.response(to: fault)
            records[id]?.refusedCount += 1
            records[id]?.lastStatus = response.status
            return (id, response)
        }
        accept(request, for: browser)
        let fields = [
            "location": "https://\(request.authority)/message/\(acceptedCount)", "ttl": request.header("ttl") ?? "",
        ]
        return (id, ServiceResponse(status: 201, fields: fields))
    }

    private mutating func accept(_ request: ReceivedRequest, for browser: Browser) {
        acceptedCount += 1
        guard var record = records[browser.id] else { return }
        record.acceptedCount += 1
        record.lastStatus = 201
        record.key = Self.parts(of: request.header("authorization") ?? "")?.key ?? record.key
        record.ttl = request.header("ttl") ?? ""
        record.urgency = request.header("urgency") ?? "normal"
        record.topic = request.header("topic") ?? ""
        if !record.topic.isEmpty, record.topics.count < Self.maximumTopics,
            !record.topics.insert(record.topic).inserted
        {
            record.replacedCount += 1
        }
        if request.body.isEmpty {
            record.payload = ""
        } else if let plaintext = browser.decrypt(request.body) {
            record.payload = String(decoding: plaintext, as: UTF8.self)
        } else {
            unreadableCount += 1
        }
        records[browser.id] = record
    }

    // MARK: Checks

    private mutating func fault(in request: ReceivedRequest, boundTo key: String, at now: Int64) -> Fault? {
        guard let ttl = request.header("ttl") else { return .noTTL }
        guard (1...10).contains(ttl.utf8.count), ttl.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return .badTTL
        }
        if let urgency = request.header("urgency") {
            guard ["very-low", "low", "normal", "high"].contains(urgency) else { return .badUrgency }
        }
        if let topic = request.header("topic") {
            // Base64url of up to 32 characters; Apple also decodes it.
            let isText = topic.utf8.allSatisfy { Base64URL.decode([$0, UInt8(ascii: "A")]) != nil }
            guard (1...32).contains(topic.utf8.count), isText, service != .apple || topic.utf8.count % 4 != 1 else {
                return .badTopic
            }
        }
        guard let (token, shown) = Self.parts(of: request.header("authorization") ?? "") else { return .noToken }
        guard verify(token, key: shown, origin: "https://" + request.authority, at: now) else { return .badToken }
        guard key.isEmpty || key == shown else { return .otherKey }
        guard request.bodyLength <= Self.maximumBodyBytes else { return .tooLarge }
        guard request.body.isEmpty || request.header("content-encoding") == "aes128gcm" else { return .badCoding }
        return nil
    }

    /// Returns the token and the key of `vapid t=…, k=…` (RFC 8292, section 3); nil if the text has another form.
    private static func parts(of authorization: String) -> (token: String, key: String)? {
        guard let parameters = authorization.removing(prefixInAnyCase: "vapid ") else { return nil }
        var values: [String: String] = [:]
        for part in parameters.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if pair.count == 2 { values[pair[0]] = pair[1] }
        }
        guard let token = values["t"], let key = values["k"] else { return nil }
        return (token, key)
    }

    /// Returns true if the push service accepts a token, and remembers that.
    private mutating func verify(_ text: String, key: String, origin: String, at now: Int64) -> Bool {
        let seconds = now / 1_000
        if let end = verifiedTokenEnds[text + " " + key + " " + origin] { return end > seconds }
        guard let token = JSONWebToken(text), token.header["alg"]?.string == "ES256",
            let point = Base64URL.decode(key.utf8), let verifying = VerifyingKey(point: point),
            verifying.isValidSignature(token.signature, for: token.signed), token.claims["aud"]?.string == origin,
            case .integer(let end)? = token.claims["exp"], end > seconds, end <= seconds + 86_400,
            let contact = token.claims["sub"]?.string,
            contact.hasPrefix("mailto:") || contact.hasPrefix("https:")
        else { return false }
        // Apple refuses a contact without a public name.
        guard service != .apple || !contact.hasSuffix("@localhost") && !contact.contains(" ") else { return false }
        if verifiedTokenEnds.count >= Self.maximumTokens { verifiedTokenEnds = [:] }
        verifiedTokenEnds[text + " " + key + " " + origin] = end
        return true
    }

    // MARK: Responses

    private func response(to fault: Fault) -> ServiceResponse {
        var response: ServiceResponse
        switch service {
        case .google: response = google(fault)
        case .mozilla: response = mozilla(fault)
        case .apple: response = apple(fault)
        case .windows: response = windows(fault)
        }
        response.fault = fault.rawValue
        return response
    }

    private func google(_ fault: Fault) -> ServiceResponse {
        switch fault {
        case .noTTL, .badTTL: ServiceResponse(status: 400, body: "TTL header is missing or invalid.")
        case .badUrgency: ServiceResponse(status: 400, body: "The urgency is invalid.")
        case .badTopic: ServiceResponse(status: 400, body: "The topic is invalid.")
        case .badCoding: ServiceResponse(status: 400, body: "The content encoding is not supported.")
        case .noToken: ServiceResponse(status: 401, body: "missing authorization header")
        case .badToken: ServiceResponse(status: 403, body: "invalid JWT provided")
        case .otherKey:
            ServiceResponse(
                status: 403,
                body: "the VAPID credentials in the authorization header do not correspond to the credentials used to "
                    + "create the subscriptions.")
        case .tooLarge: ServiceResponse(status: 413, body: "payload too large")
        case .gone: ServiceResponse(status: 410, body: "push subscription has unsubscribed or expired.")
        case .unknown: .html(404, title: "Error 404 (Not Found)!!1")
        case .throttled: ServiceResponse(status: 429, body: "Too many requests.")
        }
    }

    private func mozilla(_ fault: Fault) -> ServiceResponse {
        let (status, errno, error): (UInt16, Int, String) =
            switch fault {
            case .noTTL: (400, 111, "Missing TTL value")
            case .badTTL: (400, 112, "Invalid TTL value")
            case .badUrgency: (400, 114, "Invalid header")
            case .badTopic: (400, 113, "Invalid Topic")
            case .badCoding: (400, 110, "Invalid crypto headers")
            case .noToken, .badToken, .otherKey: (401, 109, "Unauthorized")
            case .tooLarge: (413, 104, "Request did not validate")
            case .gone: (410, 106, "No such subscription")
            case .unknown: (404, 102, "Not Found")
            case .throttled: (429, 120, "Too Many Requests")
            }
        return ServiceResponse(
            status: status, fields: ["content-type": "application/json"],
            body: "{\"code\":\(status),\"errno\":\(errno),\"error\":\(error.asJSON),\"message\":\(error.asJSON)}")
    }

    private func apple(_ fault: Fault) -> ServiceResponse {
        let (status, reason): (UInt16, String) =
            switch fault {
            case .noTTL, .badTTL: (400, "BadTtl")
            case .badUrgency: (400, "BadUrgency")
            case .badTopic: (400, "BadWebPushTopic")
            case .badCoding: (400, "BadWebPushRequest")
            case .noToken, .badToken: (403, "BadJwtToken")
            case .otherKey: (400, "VapidPkHashMismatch")
            case .tooLarge: (413, "PayloadTooLarge")
            case .gone: (410, "Unregistered")
            case .unknown: (404, "BadPath")
            case .throttled: (429, "TooManyRequests")
            }
        return ServiceResponse(
            status: status, fields: ["content-type": "application/json"], body: "{\"reason\":\(reason.asJSON)}")
    }

    private func windows(_ fault: Fault) -> ServiceResponse {
        let (status, text): (UInt16, String) =
            switch fault {
            case .noTTL, .badTTL, .badUrgency, .badTopic, .badCoding: (400, "One or more headers are invalid.")
            case .noToken, .badToken: (401, "The token is invalid.")
            case .otherKey: (401, "The public key of the token does not match the channel.")
            case .tooLarge: (413, "The payload is too large.")
            case .gone: (410, "The channel expired.")
            case .unknown: (404, "The channel URI is not valid.")
            case .throttled: (406, "The cloud service is throttled.")
            }
        return ServiceResponse(status: status, fields: ["x-wns-error-description": text, "x-wns-status": "dropped"])
    }
}
