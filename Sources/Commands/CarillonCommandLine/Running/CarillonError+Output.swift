package import CarillonClient
import CarillonCore

/// Advice for users about errors.
extension CarillonError {
    /// The advice for the user; nil if there is nothing to advise.
    package var advice: String? {
        if let code = code.server { return Self.advice(code) }
        return switch code {
        case .cannotConnect:
            "Is carillond running there (--server), and do --ca and --plaintext match its TLS settings?"
        case .untrusted: "--ca FILE names the authority of the server's certificate; --server must be its name."
        default: nil
        }
    }

    private static func advice(_ code: ErrorCode) -> String? {
        switch code {
        case .authenticationFailed:
            "The key is read from --api-key-file, CARILLON_API_KEY_FILE or CARILLON_API_KEY; is it the one issued?"
        case .forbidden:
            "The key does not have the role for this app, or for every app (*); `carillon ping` shows its roles."
        case .unsupportedOpcode, .unsupportedField:
            "The server is older than this command; `carillon ping` shows its version."
        case .rateLimited: "The key has used up its requests a second (requestsPerSecond of its principal): go slower."
        case .overloaded: "The server is overloaded: try again later; `carillon top` shows its activity."
        case .storageFull:
            "The database is full: free space on its disk, or raise data.limitMebibytes; `carillon top` shows its size."
        case .storageFailed: "The server's disk has failed and the server stops; its log has the details."
        case .draining: "The server is stopping or restarting: try again later."
        case .tooManyConnections: "The server has no room for another connection (limits.connections)."
        case .stale: "A later registration or unregistration is stored; only a later time can replace it."
        case .apnsRefused:
            "APNs refuses it: for FeatureNotEnabled switch on the broadcast capability of the App ID, for "
                + "TopicMismatch use a key of the app's team."
        case .apnsUnavailable: "APNs did not answer: try again later. After channel create, look at channel list first."
        case .behind:
            "This node of a cluster lags behind the others: ask another one, or see `carillon cluster status`."
        case .idempotencyConflict: "Another message was sent with this --key; each message needs its own."
        default: nil
        }
    }

    /// The effect of the call, for the user; nil if it had none.
    package var effectNote: String? {
        switch effect {
        case .notExecuted: nil
        case .unknown: "It may have taken effect."
        case .executed: "It took effect nevertheless."
        }
    }
}

extension CarillonError {
    /// The error as JSON; its names are stable.
    package var json: JSON {
        let retry = retryAfter.map { pause in
            JSON.number(
                UInt64(
                    clamping: pause.components.seconds * 1_000 + pause.components.attoseconds / 1_000_000_000_000_000))
        }
        return .members([
            "code": .text(code.name),
            "effect": .text(effect.name),
            "retry_after_ms": retry,
            "field": field.map { .text($0) },
            "item": item.map { .number(UInt64($0)) },
            "limit": limit.map { .number($0) },
            "reason": reason.map { .text($0) },
            "message": .text(message),
        ])
    }
}
