import CarillonCore
import CarillonSession
import CarillonTLS
import CarillonWire
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension CarillonError {
    /// The server's answer.
    init(_ reply: ErrorReply) {
        let retryAfter: Duration? =
            switch reply.retry {
            case .never: nil
            case .after(let milliseconds): .milliseconds(Int64(milliseconds))
            }
        self.init(
            .server(reply.code),
            effect: reply.effect,
            retryAfter: retryAfter,
            field: reply.field,
            limit: reply.limit,
            item: reply.item,
            column: reply.column,
            message: reply.message
        )
    }

    /// Why a connection ended. `retryAfter` says whether another can be better.
    init(_ reason: Closure.Reason, _ failure: (any Error)?) {
        switch reason {
        case .foreign:
            self.init(.notCarillon, message: "what answers there does not speak the protocol of Carillon")
        case .versionRefused:
            self.init(.server(.unsupportedVersion), message: "the server does not speak version \(Preface.version)")
        case .server(let reply):
            self.init(reply)
        case .credentialNeeded:
            self.init(.server(.authenticationFailed), message: "the server wants an API key")
        case .garbled(let fault):
            self.init(.protocolViolation, retryAfter: .zero, message: "the server broke the protocol: \(fault.text)")
        case .silence:
            self.init(.connectionLost, retryAfter: .zero, message: "the server does not answer any more")
        case .handshakeTimeout:
            self.init(.notConnected, retryAfter: .zero, message: "the server did not answer in time")
        case .drained:
            self.init(.connectionLost, retryAfter: .zero, message: "the server is stopping")
        case .finished:
            self.init(.closed, message: "the client was closed")
        case .disconnected:
            if let failure {
                self.init(connecting: failure)
            } else {
                self.init(.connectionLost, retryAfter: .zero, message: "the connection has ended")
            }
        }
    }

    /// Why no connection came about, or what broke it.
    init(connecting failure: any Error) {
        switch failure {
        case let error as TLSError: self.init(error)
        case let error as NIOConnectionError: self.init(error)
        case let error as IOError:
            self.init(.notConnected, retryAfter: .zero, message: String(cString: strerror(error.errnoCode)))
        case ChannelError.connectTimeout:
            self.init(.notConnected, retryAfter: .zero, message: "no answer in time")
        default:
            self.init(.notConnected, retryAfter: .zero, message: "\(failure)")
        }
    }

    private init(_ error: NIOConnectionError) {
        if let last = error.connectionErrors.last {
            self.init(connecting: last.error)
        } else {
            self.init(.notConnected, retryAfter: .zero, message: "the name \(error.host) is not known")
        }
    }

    private init(_ error: TLSError) {
        switch error {
        case .certificateRejected, .alertReceived, .noApplicationProtocol:
            self.init(.untrusted, message: error.description)
        case .configuration, .misuse:
            self.init(.configuration, message: error.description)
        case .protocolViolation:
            self.init(.notCarillon, message: "no TLS there: \(error.description)")
        case .truncated:
            self.init(.connectionLost, retryAfter: .zero, message: "the connection has ended")
        case .handshakeTimedOut:
            self.init(.notConnected, retryAfter: .zero, message: error.description)
        }
    }
}
