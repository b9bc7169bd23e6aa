package import CarillonCore

/// The errors that the HTTP ports make themselves.
extension GatewayError {
    /// Makes an error with a code of the protocol and the HTTP status of that code; it is not to be repeated.
    package init(_ code: ErrorCode, message: String, field: String? = nil) {
        self.init(code.name, status: Self.status(of: code.name), message: message, field: field)
    }

    /// Makes the error of a path that names nothing that is served.
    package static func notFound(_ message: String) -> GatewayError { GatewayError(.notFound, message: message) }

    /// Makes the error of a request without an API key, or with one that is not known.
    package static func authenticationFailed(_ message: String) -> GatewayError {
        GatewayError(.authenticationFailed, message: message)
    }

    /// Makes the error of a server that has no room for the request; it may be repeated after a second.
    package static func overloaded(_ message: String) -> GatewayError {
        GatewayError(.overloaded, message: message).retried(afterMilliseconds: 1_000)
    }

    /// The error of a node of a cluster that has not applied what the client has seen at another.
    package static let positionNotReached = GatewayError(
        .behind, message: "this node of the cluster has not reached the position that the client has seen"
    ).retried(afterMilliseconds: 500)

    /// The error of a body that is not JSON. The code is HTTP's own.
    package static let unsupportedMediaType = GatewayError(
        "UNSUPPORTED_MEDIA_TYPE", status: 415, message: "the content-type is application/json")

    /// Makes the error of a path that has other methods. The code is HTTP's own.
    ///
    /// - Parameter allowed: the methods that the path has, as in the header `allow`.
    package static func methodNotAllowed(_ allowed: String) -> GatewayError {
        GatewayError("METHOD_NOT_ALLOWED", status: 405, message: "the method is \(allowed)")
    }

    /// The error of a request whose session has ended, so that nothing says whether the request took effect.
    package static let sessionEnded = GatewayError("INTERNAL", status: 503, message: "the session has ended")
        .with(effect: .unknown)
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
