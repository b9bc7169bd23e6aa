import CarillonHTTP2
import CarillonHTTP2Server
import CarillonSimulator

/// A response other than 200.
struct Rejection: Error, Hashable {
    var status: UInt16
    var reason: String
    /// The time at which the token became invalid, in milliseconds since 1970; nil if the response has none.
    var timestamp: Int64?
    /// The header `retry-after`; nil if the response has none.
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
        return "{\"reason\":\(reason.asJSON)\(time)}"
    }
}

/// A cache of responses. Each is made once for all streams that are refused alike.
struct RejectionCache {
    private var made: [Rejection: (PreparedResponse, PreparedBody)] = [:]

    private static let maximumKept = 256

    mutating func response(to rejection: Rejection) throws(HTTP2Error) -> (PreparedResponse, PreparedBody) {
        if let known = made[rejection] { return known }
        let retry = rejection.retryAfter.map { [HeaderField("retry-after", String($0))] } ?? []
        let fresh = (
            try PreparedResponse(status: rejection.status, fields: retry), PreparedBody(rejection.body.utf8)
        )
        if made.count >= Self.maximumKept { made.removeAll() }
        made[rejection] = fresh
        return fresh
    }
}
