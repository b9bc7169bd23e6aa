import CarillonCore

/// The parts of Google's error that decide (google.rpc.Status with its details). Their order is no contract, and each
/// may be missing.
struct FCMErrorBody {
    /// The field `error.status`: a code of google.rpc.
    private(set) var status: String?
    /// The field `errorCode` of `FcmError`.
    private(set) var errorCode: String?
    /// The field `reason` of `ErrorInfo`.
    private(set) var errorInfoReason: String?
    /// The fields at fault, by their paths in the request: `fieldViolations` of `BadRequest`.
    private(set) var fields: [String] = []
    /// The field `statusCode` of `ApnsError`.
    private(set) var apnsStatus: Int64?
    /// The field `retryDelay` of `RetryInfo`, in milliseconds. Not documented for FCM.
    private(set) var retryDelayMilliseconds: UInt64?
    /// True if `error.message` calls the registration token invalid.
    private var messageNamesToken = false

    /// The most details that are read, and the most fields of each.
    private static let maximumDetails = 16
    /// The longest code that is read, in bytes.
    private static let maximumCodeBytes = 128
    /// The longest delay that is read from `RetryInfo`, in seconds: a day.
    private static let maximumDelaySeconds: UInt64 = 86_400

    /// Reads a body; nil if it is not Google's JSON.
    init?(_ body: [UInt8]) {
        // Why try?: nil says that it is not JSON.
        guard let error = (try? JSONObjectParser.parse(body))?["error"]?.members else { return nil }
        status = Self.code(error["status"])
        messageNamesToken = error["message"]?.string?.contains("not a valid FCM registration token") ?? false
        guard status != nil || error["code"]?.double != nil else { return nil }
        guard case .array(let details)? = error["details"] else { return }
        for case .object(let detail) in details.prefix(Self.maximumDetails) { read(detail) }
    }

    private mutating func read(_ detail: [String: JSONValue]) {
        switch detail["@type"]?.string {
        case "type.googleapis.com/google.firebase.fcm.v1.FcmError": errorCode = Self.code(detail["errorCode"])
        case "type.googleapis.com/google.firebase.fcm.v1.ApnsError":
            if case .integer(let code)? = detail["statusCode"] { apnsStatus = code }
        case "type.googleapis.com/google.rpc.ErrorInfo": errorInfoReason = Self.code(detail["reason"])
        case "type.googleapis.com/google.rpc.RetryInfo":
            let text = detail["retryDelay"]?.string ?? ""
            guard FCMSchema.isDuration(text, maximumSeconds: Self.maximumDelaySeconds),
                let seconds = Double(text.dropLast())
            else { return }
            retryDelayMilliseconds = UInt64((seconds * 1_000).rounded(.up))
        case "type.googleapis.com/google.rpc.BadRequest":
            guard case .array(let violations)? = detail["fieldViolations"] else { return }
            fields += violations.prefix(Self.maximumDetails).compactMap { Self.code($0.members?["field"]) }
        default: break
        }
    }

    private static func code(_ value: JSONValue?) -> String? {
        guard let text = value?.string, (1...maximumCodeBytes).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return text
    }

    /// The code that decides: the code of `FcmError`, else the status.
    var code: String { errorCode.flatMap { $0 == "UNSPECIFIED_ERROR" ? nil : $0 } ?? status ?? "" }

    /// True if the invalid argument is the registration token. Some answers name no field; then the text of the error
    /// decides, although Google has changed it before. After a wrong guess a dead token stays registered, or the token
    /// breaker decides about a good one.
    var isTokenInvalid: Bool { fields.isEmpty ? errorCode != nil && messageNamesToken : fields == ["message.token"] }

    /// The reason that TRACE shows: the most exact code, and the field at fault.
    var reason: String? {
        let code = errorCode ?? errorInfoReason ?? status
        return fields.first.flatMap { field in code.map { "\($0) \(field)" } } ?? code
    }
}
