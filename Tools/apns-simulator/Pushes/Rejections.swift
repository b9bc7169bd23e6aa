import CarillonHTTP2
import CarillonHTTP2Server

/// A cache of responses. Each is made once for all streams that are refused alike.
struct Rejections {
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
