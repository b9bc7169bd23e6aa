import CarillonSimulator

/// The errors in the form of Google's services (google.rpc.Status).
enum GoogleError {
    enum Detail {
        /// The detail `BadRequest` with one field, which is nil if no field is named.
        case badRequest(field: String?, String)
        /// The detail `FcmError`.
        case fcm(String)
        /// The detail `ErrorInfo`, with its metadata.
        case info(String, [String: String] = [:])
        case apns(status: Int, reason: String)

        var json: String {
            let rpc = "type.googleapis.com/google.rpc."
            let fcm = "type.googleapis.com/google.firebase.fcm.v1."
            switch self {
            case .badRequest(nil, _): return "{\"@type\":\"\(rpc)BadRequest\"}"
            case .badRequest(let field?, let text):
                let violation = "{\"field\":\(field.asJSON),\"description\":\(text.asJSON)}"
                return "{\"@type\":\"\(rpc)BadRequest\",\"fieldViolations\":[\(violation)]}"
            case .fcm(let code): return "{\"@type\":\"\(fcm)FcmError\",\"errorCode\":\(code.asJSON)}"
            case .info(let reason, let metadata):
                let known =
                    metadata.isEmpty
                    ? [
                        "method": "google.firebase.fcm.v1.FcmService.SendMessage", "service": "fcm.googleapis.com",
                    ] : metadata
                let members = known.sorted { $0.key < $1.key }.map { "\($0.key.asJSON):\($0.value.asJSON)" }
                return "{\"@type\":\"\(rpc)ErrorInfo\",\"reason\":\(reason.asJSON),\"domain\":\"googleapis.com\","
                    + "\"metadata\":{\(members.joined(separator: ","))}}"
            case .apns(let status, let reason):
                return "{\"@type\":\"\(fcm)ApnsError\",\"statusCode\":\(status),\"reason\":\(reason.asJSON)}"
            }
        }

        fileprivate var name: String? {
            switch self {
            case .fcm(let code): code
            case .info(let reason, _): reason
            default: nil
            }
        }
    }

    static let unauthenticatedTail =
        "Expected OAuth 2 access token, login cookie or other valid authentication credential. See "
        + "https://developers.google.com/identity/sign-in/web/devconsole-project."

    /// The names of google.rpc.Code for statuses.
    private static let names: [UInt16: String] = [
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
        409: "ABORTED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 501: "UNIMPLEMENTED", 503: "UNAVAILABLE",
        504: "DEADLINE_EXCEEDED",
    ]

    // style: unlabelled - status, message and details are the columns of the tables that call it.
    static func response(
        _ status: UInt16, _ message: String, _ details: [Detail] = [], retryAfter: String? = nil
    ) -> ServiceResponse {
        let name = names[status] ?? "UNKNOWN"
        let list = details.isEmpty ? "" : ",\"details\":[\(details.map(\.json).joined(separator: ","))]"
        var fields = ["content-type": "application/json; charset=UTF-8", "server": "ESF"]
        fields["retry-after"] = retryAfter
        return ServiceResponse(
            status: status, fields: fields,
            body: "{\"error\":{\"code\":\(status),\"message\":\(message.asJSON),\"status\":\"\(name)\"\(list)}}",
            fault: details.compactMap(\.name).first ?? name)
    }
}
