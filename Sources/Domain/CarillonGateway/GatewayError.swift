package import CarillonCore

/// An error as JSON has it: the fields of an error of the protocol (Protocol 15), and a status of HTTP.
package struct GatewayError: Error, Hashable, Sendable {
    /// The name of the code: one of the protocol's, or one of HTTP's own, such as `METHOD_NOT_ALLOWED`.
    package var code: String
    /// The status of HTTP.
    package var status: Int
    /// The effect of the request: done, not done, or unknown.
    package var effect = Effect.notExecuted
    /// The time after which to repeat the request, in milliseconds; nil if it is not to be repeated.
    package var retryAfterMilliseconds: UInt64?
    /// The text for engineers. It never has a secret.
    package var message: String
    /// The field at fault; nil if the fault is of no field.
    package var field: String?
    /// The limit that was exceeded; nil if no limit was exceeded.
    package var limit: UInt64?
    /// The index of the item at fault in the list `field`; nil if the fault is of no item.
    package var item: UInt64?
    /// The place of a fault in a condition, in bytes, from 1; nil for all other faults.
    package var column: UInt64?
    /// The reason that APNs gave for refusing a call about a broadcast channel, or the server's own word if APNs gave
    /// no answer; nil for all other requests.
    package var reason: String?

    /// Makes an error with another status than `ErrorStatus` has for the code. The request is not to be repeated.
    package init(_ code: String, status: Int, message: String, field: String? = nil) {
        self.code = code
        self.status = status
        self.message = message
        self.field = field
    }

    /// Makes an error with the status that `ErrorStatus` has for the name of the code. The request is not to be
    /// repeated.
    init(named code: String, message: String) {
        self.init(code, status: ErrorStatus.status(of: code), message: message)
    }

    /// Makes an error with a code of the protocol and the status of that code. The request is not to be repeated.
    package init(_ code: ErrorCode, message: String, field: String? = nil) {
        self.init(code.name, status: ErrorStatus.status(of: code.name), message: message, field: field)
    }

    /// Makes the error of a value that its field does not allow.
    static func invalid(_ message: String, field: String? = nil, item: Int? = nil) -> GatewayError {
        var error = GatewayError(.invalidArgument, message: message, field: field)
        error.item = item.map { UInt64($0) }
        return error
    }

    /// Makes the error of a text that cannot be read.
    static func malformed(_ message: String) -> GatewayError {
        GatewayError(.malformed, message: message)
    }

    /// Returns the same error with a time after which to repeat the request.
    package func with(retryAfterMilliseconds milliseconds: UInt64) -> GatewayError {
        var error = self
        error.retryAfterMilliseconds = milliseconds
        return error
    }

    package func with(effect: Effect) -> GatewayError {
        var error = self
        error.effect = effect
        return error
    }

    /// The error as a JSON object: `{"error": {…}}`.
    package var json: [UInt8] {
        var output = JSONStreamWriter()
        output.object { output in
            output.name("error")
            output.object { output in
                output.member("code", code)
                output.member("effect", effect.word)
                output.name("retry_after_ms")
                if let retryAfterMilliseconds { output.number(retryAfterMilliseconds) } else { output.null() }
                output.member("message", message)
                if let field { output.member("field", field) }
                if let limit { output.member("limit", limit) }
                if let item { output.member("item", item) }
                if let column { output.member("column", column) }
                if let reason { output.member("reason", reason) }
            }
        }
        return output.bytes
    }
}

/// The errors that the HTTP ports make themselves.
extension GatewayError {
    /// Makes the error of a path that is not served.
    package static func notFound(_ message: String) -> GatewayError { GatewayError(.notFound, message: message) }

    /// Makes the error of a request without an API key, or with one that is not known.
    package static func authenticationFailed(_ message: String) -> GatewayError {
        GatewayError(.authenticationFailed, message: message)
    }

    /// Makes the error of a server that has no room for the request; it may be repeated after a second.
    package static func overloaded(_ message: String) -> GatewayError {
        GatewayError(.overloaded, message: message).with(retryAfterMilliseconds: 1_000)
    }

    /// The error of a node of a cluster that has not applied what the client has seen at another.
    package static let positionNotReached = GatewayError(
        .behind, message: "this node of the cluster has not reached the position that the client has seen"
    ).with(retryAfterMilliseconds: 500)

    /// The error of a body that is not JSON. The code is HTTP's own.
    package static let unsupportedMediaType = GatewayError(
        named: "UNSUPPORTED_MEDIA_TYPE", message: "the content-type is application/json")

    /// Makes the error of a path that has other methods. The code is HTTP's own.
    ///
    /// - Parameter allowed: the methods that the path has, as in the header `allow`.
    package static func methodNotAllowed(_ allowed: String) -> GatewayError {
        GatewayError(named: "METHOD_NOT_ALLOWED", message: "the method is \(allowed)")
    }

    /// The error of a request whose session has ended, so that nothing says whether the request took effect. The status
    /// is 503 and not the 500 of other `INTERNAL` errors: a new request gets a new session, and may succeed.
    package static let sessionEnded = GatewayError(
        ErrorCode.internal.name, status: 503, message: "the session has ended"
    ).with(effect: .unknown)
}

extension Effect {
    /// The word for the effect in JSON, as `Protocol/layouts.json` has it.
    var word: String {
        switch self {
        case .notExecuted: "not_executed"
        case .unknown: "unknown"
        case .executed: "executed"
        }
    }

    /// Makes an effect from its word; nil if no effect has it.
    init?(word: String) {
        guard let effect = [Effect.notExecuted, .unknown, .executed].first(where: { $0.word == word }) else {
            return nil
        }
        self = effect
    }
}
