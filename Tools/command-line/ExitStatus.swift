package import CarillonClient
package import CarillonCore

/// What a command leaves behind for scripts.
package enum ExitStatus: Int32, Error, CaseIterable {
    /// All is done.
    case done = 0
    /// The server refused it, or what was looked at is not as it must be.
    case refused = 1
    /// The command makes no sense, or a file cannot be used.
    case usage = 2
    /// The server is not reachable, or there was no answer in time.
    case unreachable = 3
    /// A message did not reach every device.
    case notAllDelivered = 4
    /// It was interrupted, and the same command goes on.
    case interrupted = 5
    /// What is stored cannot be read.
    case damaged = 6

    /// The status for an error of the client.
    package init(_ error: CarillonError) {
        self =
            switch (error.code, error.code.server) {
            case (.configuration, _): .usage
            case (_, .some(.deadline)), (_, .some(.draining)), (_, .some(.timeout)), (_, .some(.tooManyConnections)):
                .unreachable
            case (_, .some): .refused
            default: .unreachable
            }
    }
}

extension CarillonError {
    /// What people can do about it, if anything.
    package var hint: String? {
        if let code = code.server { return Self.hint(code) }
        return switch code {
        case .notConnected:
            "Is carillond running there (--server), and with or without TLS as --ca and --plaintext say?"
        case .notCarillon: "Is the port right? A server with TLS wants --ca FILE, one without wants --plaintext."
        case .untrusted: "--ca FILE names the authority of the server's certificate; --server must be its name."
        default: nil
        }
    }

    private static func hint(_ code: ErrorCode) -> String? {
        switch code {
        case .authenticationFailed:
            "The key is read from --api-key-file, CARILLON_API_KEY_FILE or CARILLON_API_KEY; is it the one issued?"
        case .forbidden:
            "The key does not have the role for this app, or for every app (*); `carillon ping` shows its roles."
        case .unsupportedOpcode, .unsupportedField:
            "The server is older than this command; `carillon ping` shows its version."
        case .rateLimited: "The key's requests a second are spent (requestsPerSecond of its principal): go slower."
        case .overloaded: "The server has too much to do: try again in a while; `carillon top` shows what it does."
        case .storageFull:
            "The database is full: free room on its disk, or raise data.limitMebibytes; `carillon top` shows its size."
        case .storageFailed: "The server's disk has failed and it stops; its log says more."
        case .draining: "The server is stopping or starting again: try again in a while."
        case .tooManyConnections: "The server has no room for another connection (limits.connections)."
        case .stale: "A later registration or unregistration is stored; only a later time can replace it."
        case .idempotencyConflict: "Another message was sent with this --key; every message wants its own."
        default: nil
        }
    }

    /// What to know before making the call again.
    package var effectNote: String? {
        switch effect {
        case .notExecuted: nil
        case .unknown: "It may have taken effect."
        case .executed: "It took effect all the same."
        }
    }
}

extension Effect {
    /// The name in JSON.
    package var name: String {
        switch self {
        case .notExecuted: "not_executed"
        case .unknown: "unknown"
        case .executed: "executed"
        }
    }
}
