import CarillonCore
import CarillonSimulator

/// Simulates FCM's `messages:send`. It checks a message in the order authorization, syntax, fields, target, payload,
/// device, quota. Its state is under the lock of `PushServices`.
struct FCM {
    /// The state of a device, as FCM knows it.
    enum DeviceState: String {
        case unregistered
        case otherSender = "sender-mismatch"
        case thirdParty = "third-party"
        case overQuota = "device-quota"
        case deadInAPNs = "apns-unregistered"
    }

    /// The counts of one device.
    struct Record {
        var acceptedCount = 0
        var refusedCount = 0
        var lastStatus: UInt16 = 0
        var payload = ""
        fileprivate var minuteStart: Int64 = 0
        fileprivate var countInMinute = 0
        fileprivate var collapseKeys: Set<String> = []
        fileprivate var bodies: Set<Int> = []
    }

    /// The longest message, in bytes of names and values, and the longest message to a topic.
    private static let maximumMessageBytes = 4_096, maximumTopicBytes = 2_048
    private static let maximumStoredSeconds = 2_419_200.0
    /// The most messages that a device takes in a minute.
    private static let maximumMessagesInMinute = 240
    /// The most collapse keys that a device has at a time.
    private static let maximumCollapseKeys = 4
    private static let maximumDevices = 1 << 20
    /// The most bodies of a device that are compared with the next ones.
    private static let maximumBodies = 256

    let projects: Set<String>
    /// The most messages that a project may send in a minute; nil without limit.
    let quota: Int?
    var states: [String: DeviceState] = [:]
    private(set) var devices: [String: Record] = [:]
    private(set) var acceptedCount = 0
    private(set) var duplicateCount = 0
    /// The number of devices with more than four collapse keys.
    private(set) var devicesOverCollapseKeys = 0
    private var minutes: [String: (start: Int64, count: Int)] = [:]
    private var invalidTokenCount = 0

    init(projects: Set<String>, quota: Int?) {
        self.projects = projects
        self.quota = quota
    }

    mutating func reset() {
        devices = [:]
        acceptedCount = 0
        duplicateCount = 0
        devicesOverCollapseKeys = 0
        minutes = [:]
    }

    /// Returns the device that a request is about, and the response.
    ///
    /// - Parameters:
    ///   - tokens: the access tokens that were issued.
    ///   - now: the milliseconds since 1970.
    mutating func response(
        to request: ReceivedRequest, tokens: AccessTokens, at now: Int64
    ) -> (device: String, response: ServiceResponse) {
        guard request.method == "POST", let project = Self.project(in: request.path) else {
            return ("", .html(404, title: "Error 404 (Not Found)!!1"))
        }
        if let response = refusal(of: request.header("authorization"), project: project, tokens: tokens, at: now) {
            return ("", response)
        }
        let members: [String: JSONValue]
        do {
            guard request.bodyLength == request.body.count else { throw JSONError.syntax(offset: 0) }
            members = try JSONObjectParser.parse(request.body)
        } catch {
            return ("", GoogleError.response(400, "Invalid JSON payload received. Unexpected token.\n^"))
        }
        let content: [String: JSONValue]
        do throws(FCMFields.MessageError) {
            content = try FCMFields.read(members)["message"]?.members ?? [:]
        } catch {
            let detail = GoogleError.Detail.badRequest(field: error.field, error.text)
            return ("", GoogleError.response(400, error.text, [detail]))
        }
        let target: (name: String, value: String)
        switch Self.target(of: content) {
        case .success(let found): target = found
        case .failure(let fault): return ("", fault.response)
        }
        let response = judge(content, for: target, project: project, at: now)
        record(response, of: target.value, body: request.body)
        return (target.value, response)
    }

    /// Returns the project of `/v1/projects/{project}/messages:send`; nil if the path is another.
    private static func project(in path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "v1", parts[2] == "projects", !parts[3].isEmpty,
            parts[4] == "messages:send"
        else { return nil }
        return String(parts[3])
    }

    private func refusal(
        of authorization: String?, project: String, tokens: AccessTokens, at now: Int64
    ) -> ServiceResponse? {
        guard let authorization else {
            let text = "Request is missing required authentication credential. " + GoogleError.unauthenticatedTail
            return GoogleError.response(401, text, [.info("CREDENTIALS_MISSING")])
        }
        let invalid = "Request had invalid authentication credentials. " + GoogleError.unauthenticatedTail
        guard let name = authorization.removing(prefixInAnyCase: "bearer "), let token = tokens[String(name)]
        else { return GoogleError.response(401, invalid) }
        guard now < token.endsAt else { return GoogleError.response(401, invalid, [.info("ACCESS_TOKEN_EXPIRED")]) }
        guard token.project == project, projects.contains(project) else {
            let resource = "//cloudresourcemanager.googleapis.com/projects/\(project)"
            let text =
                "Permission 'cloudmessaging.messages.create' denied on resource '\(resource)' (or it may not exist)."
            return GoogleError.response(403, text, [.info("IAM_PERMISSION_DENIED")])
        }
        return nil
    }

    private struct TargetError: Error {
        var response: ServiceResponse
    }

    private static func target(of message: [String: JSONValue]) -> Result<(name: String, value: String), TargetError> {
        let given = ["token", "topic", "condition", "fid"].filter { message[$0] != nil }
        guard given.count < 2 else {
            let text =
                "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '\(given[1])'"
            return .failure(
                TargetError(response: GoogleError.response(400, text, [.badRequest(field: "message", text)])))
        }
        guard let name = given.first, let value = message[name]?.string else {
            let text = "Recipient of the message is not set."
            return .failure(
                TargetError(
                    response: GoogleError.response(
                        400, text, [.badRequest(field: "message", text), .fcm("INVALID_ARGUMENT")])))
        }
        return .success((name, value))
    }

    // MARK: A message that is well-formed

    private mutating func judge(
        _ message: [String: JSONValue], for target: (name: String, value: String), project: String, at now: Int64
    ) -> ServiceResponse {
        if let fault = fault(of: target) ?? Self.fault(inData: message) ?? Self.fault(inSize: message, target.name)
            ?? Self.fault(inTimes: message)
        {
            return fault
        }
        switch states[target.value] {
        case .unregistered:
            return GoogleError.response(404, "Requested entity was not found.", [.fcm("UNREGISTERED")])
        case .otherSender: return GoogleError.response(403, "SenderId mismatch", [.fcm("SENDER_ID_MISMATCH")])
        case .thirdParty:
            return GoogleError.response(
                401, "Auth error from APNS or Web Push Service", [.fcm("THIRD_PARTY_AUTH_ERROR")])
        case .deadInAPNs:
            return GoogleError.response(
                400, "APNs device token is disabled.",
                [.fcm("INVALID_ARGUMENT"), .apns(status: 410, reason: "Unregistered")])
        case .overQuota: return Self.deviceOverQuota
        case nil: break
        }
        return spend(project: project, device: target.value, message, at: now) ?? accept(in: project)
    }

    private mutating func fault(of target: (name: String, value: String)) -> ServiceResponse? {
        switch target.name {
        case "token":
            guard Self.isToken(target.value) else { return invalidToken() }
        case "fid":
            guard Self.isInstallationID(target.value) else {
                return GoogleError.response(404, "Requested entity was not found.", [.fcm("UNREGISTERED")])
            }
        case "topic":
            let isAllowed = { (scalar: Unicode.Scalar) in
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789-_.~%".unicodeScalars.contains(scalar))
            }
            guard !target.value.isEmpty, target.value.unicodeScalars.allSatisfy(isAllowed) else {
                let text = "Topic name contains invalid characters."
                return GoogleError.response(
                    400, text, [.badRequest(field: "message", text), .fcm("INVALID_ARGUMENT")])
            }
        default:
            guard target.value.contains(" in topics") else {
                return GoogleError.response(400, "Request contains an invalid argument.")
            }
        }
        return nil
    }

    /// Returns the refusal of an invalid token. FCM was seen to answer in several forms, and each takes its turn.
    private mutating func invalidToken() -> ServiceResponse {
        let text = "The registration token is not a valid FCM registration token"
        defer { invalidTokenCount += 1 }
        switch invalidTokenCount % 4 {
        case 0:
            return GoogleError.response(
                400, text, [.fcm("INVALID_ARGUMENT"), .badRequest(field: "message.token", text)])
        case 1:
            return GoogleError.response(
                400, text, [.badRequest(field: "message.token", text), .fcm("INVALID_ARGUMENT")])
        case 2: return GoogleError.response(400, text, [.fcm("INVALID_ARGUMENT")])
        default:
            let short = "Invalid registration token"
            return GoogleError.response(
                400, "Request contains an invalid argument.",
                [.fcm("INVALID_ARGUMENT"), .badRequest(field: "message.token", short)])
        }
    }

    /// Returns true if a text has the form of a token: `<22 characters>:APA91b…`.
    private static func isToken(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == 22 && parts[1].hasPrefix("APA91b")
            && (100...1_024).contains(text.utf8.count) && parts.allSatisfy(isDigits)
    }

    private static func isInstallationID(_ text: String) -> Bool {
        text.utf8.count == 22 && "cdef".contains(text.first ?? "x") && isDigits(text)
    }

    /// Returns true if all characters are digits of base64url.
    private static func isDigits(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { Base64URL.decode([$0, UInt8(ascii: "A")]) != nil }
    }

    private static func fault(inData message: [String: JSONValue]) -> ServiceResponse? {
        for data in [message["data"], message["android"]?.members?["data"]] {
            for name in (data?.members ?? [:]).keys.sorted()
            where name == "from" || name == "message_type" || name.hasPrefix("google.")
                || name.hasPrefix("gcm.notification.")
            {
                let text = "Invalid data payload key: \(name)"
                return GoogleError.response(
                    400, text, [.badRequest(field: "message.data", text), .fcm("INVALID_ARGUMENT")])
            }
        }
        return nil
    }

    private static func fault(inSize message: [String: JSONValue], _ target: String) -> ServiceResponse? {
        let android = message["android"]?.members ?? [:]
        let counted = [android["data"] ?? message["data"], message["notification"], android["notification"]]
        let size = counted.reduce(0) { $0 + Self.size($1 ?? .null) }
        let limit = target == "topic" || target == "condition" ? maximumTopicBytes : maximumMessageBytes
        guard size > limit else { return nil }
        return GoogleError.response(
            400, "Message is too large. The maximum is 4K (4096 bytes).",
            [.badRequest(field: nil, ""), .fcm("INVALID_ARGUMENT")])
    }

    private static func size(_ value: JSONValue) -> Int {
        switch value {
        case .object(let members): members.reduce(0) { $0 + $1.key.utf8.count + size($1.value) }
        case .array(let items): items.reduce(0) { $0 + size($1) }
        case .text(let text): text.utf8.count
        case .integer(let number): "\(number)".utf8.count
        default: 0
        }
    }

    private static func fault(inTimes message: [String: JSONValue]) -> ServiceResponse? {
        if let ttl = message["webpush"]?.members?["headers"]?.members?["TTL"]?.string, UInt32(ttl) == nil {
            let text = "TTL must be a non-negative integer."
            return GoogleError.response(
                400, text, [.badRequest(field: "message.webpush.headers.TTL", text), .fcm("INVALID_ARGUMENT")])
        }
        guard let ttl = message["android"]?.members?["ttl"]?.string, let seconds = Double(ttl.dropLast()) else {
            return nil
        }
        guard !(0...maximumStoredSeconds).contains(seconds) else { return nil }
        let text = "Invalid time to live: it must be from 0 to 2419200 seconds"
        return GoogleError.response(
            400, text, [.badRequest(field: "message.android.ttl", text), .fcm("INVALID_ARGUMENT")])
    }

    // MARK: Quota and counts

    private static let deviceOverQuota = GoogleError.response(
        429, "Quota exceeded for the device.", [.fcm("QUOTA_EXCEEDED")])

    /// Counts a message. Returns the refusal if the project or the device has had too many; else nil.
    private mutating func spend(
        project: String, device: String, _ message: [String: JSONValue], at now: Int64
    ) -> ServiceResponse? {
        if let quota {
            var minute = minutes[project] ?? (now, 0)
            // A minute begins with the first message after the last one.
            if now - minute.start >= 60_000 { minute = (now, 0) }
            guard minute.count < quota else { return Self.projectOverQuota(project, of: quota) }
            minute.count += 1
            minutes[project] = minute
        }
        guard devices[device] != nil || devices.count < Self.maximumDevices else { return nil }
        var record = devices[device] ?? Record()
        defer { devices[device] = record }
        if now - record.minuteStart >= 60_000 { (record.minuteStart, record.countInMinute) = (now, 0) }
        guard record.countInMinute < Self.maximumMessagesInMinute else { return Self.deviceOverQuota }
        record.countInMinute += 1
        if let key = message["android"]?.members?["collapse_key"]?.string,
            record.collapseKeys.count <= Self.maximumCollapseKeys
        {
            record.collapseKeys.insert(key)
            if record.collapseKeys.count == Self.maximumCollapseKeys + 1 { devicesOverCollapseKeys += 1 }
        }
        return nil
    }

    private static func projectOverQuota(_ project: String, of quota: Int) -> ServiceResponse {
        let consumer = "project_number:\(project)"
        let text =
            "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service "
            + "'fcm.googleapis.com' for consumer '\(consumer)'."
        return GoogleError.response(
            429, text,
            [
                .info(
                    "RATE_LIMIT_EXCEEDED",
                    [
                        "service": "fcm.googleapis.com", "consumer": consumer,
                        "quota_metric": "fcm.googleapis.com/send_requests",
                        "quota_limit": "SendsPerMinutePerProject", "quota_limit_value": "\(quota)",
                        "quota_unit": "1/min/{project}", "quota_location": "global",
                    ])
            ])
    }

    private mutating func accept(in project: String) -> ServiceResponse {
        acceptedCount += 1
        let name = "projects/\(project)/messages/0:1547714400\(acceptedCount)%1900d0b61900d0b6"
        return ServiceResponse(
            status: 200, fields: ["content-type": "application/json; charset=UTF-8", "server": "ESF"],
            body: "{\n  \"name\": \(name.asJSON)\n}\n")
    }

    private mutating func record(_ response: ServiceResponse, of device: String, body: [UInt8]) {
        guard devices[device] != nil || devices.count < Self.maximumDevices else { return }
        var record = devices[device] ?? Record()
        record.lastStatus = response.status
        if response.isAccepted {
            record.acceptedCount += 1
            record.payload = String(decoding: body, as: UTF8.self)
            if record.bodies.count < Self.maximumBodies, !record.bodies.insert(body.hashValue).inserted {
                duplicateCount += 1
            }
        } else {
            record.refusedCount += 1
        }
        devices[device] = record
    }
}
