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

/// Errors made from their causes: an answer of the server, or a fault of the connection.
extension CarillonError {
    init(_ error: RequestError) {
        let retryAfter: Duration? =
            switch error.retry {
            case .never: nil
            case .after(let milliseconds): .milliseconds(Int64(milliseconds))
            }
        self.init(
            .server(error.code),
            effect: error.effect,
            scope: error.scope,
            retryAfter: retryAfter,
            field: error.field,
            limit: error.limit,
            item: error.item,
            column: error.column,
            reason: error.reason,
            message: error.message
        )
    }

    /// Makes the error for the end of a connection. `retryAfter` says whether another attempt at the same address can
    /// help.
    init(_ reason: SessionEnd.Reason, failure: (any Error)?, wasOpen: Bool) {
        switch reason {
        case .foreign:
            self.init(ended: "what answers there does not speak the protocol of Carillon", wasOpen: wasOpen)
        case .versionRefused:
            self.init(.server(.unsupportedVersion), message: "the server does not speak version \(Preface.version)")
        case .server(let error):
            self.init(error)
        case .keyNeeded:
            self.init(.authenticationFailed, message: "the server wants an API key")
        case .garbled(let fault):
            self.init(ended: "the server broke the protocol: \(fault.text)", wasOpen: wasOpen)
        case .silence:
            self.init(ended: "the server does not answer any more", wasOpen: wasOpen)
        case .handshakeTimeout:
            self.init(ended: "the server did not answer in time", wasOpen: wasOpen)
        case .drained:
            self.init(ended: "the server is stopping", wasOpen: wasOpen)
        case .finished:
            self.init(.closed, message: "the client was closed")
        case .disconnected:
            if let failure, !wasOpen {
                self.init(connecting: failure)
            } else {
                self.init(ended: failure.map(Self.text(of:)) ?? "the connection has ended", wasOpen: wasOpen)
            }
        }
    }

    private init(ended text: String, wasOpen: Bool) {
        self.init(
            wasOpen ? .connectionLost : .cannotConnect, effect: wasOpen ? .unknown : .notExecuted, retryAfter: .zero,
            message: text)
    }

    /// Makes the error for a connection that could not be made.
    init(connecting failure: any Error) {
        switch failure {
        case let error as CarillonError: self = error
        case let error as TLSError: self.init(error)
        case let error as NIOConnectionError: self.init(error)
        default: self.init(.cannotConnect, retryAfter: .zero, message: Self.text(of: failure))
        }
    }

    private static func text(of failure: any Error) -> String {
        switch failure {
        case let error as TLSError: error.description
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: "no answer in time"
        default: "\(failure)"
        }
    }

    private init(_ error: NIOConnectionError) {
        if let last = error.connectionErrors.last {
            self.init(connecting: last.error)
        } else {
            let text = (error.dnsAError ?? error.dnsAAAAError) as? CarillonError
            self =
                text
                ?? CarillonError(
                    .cannotConnect, retryAfter: .zero, message: "the name \(error.host) is not known")
        }
    }

    private init(_ error: TLSError) {
        switch error {
        case .certificateRejected, .alertReceived, .noApplicationProtocol:
            self.init(.untrusted, message: error.description)
        case .configuration, .misuse:
            self.init(.invalidArgument, field: "security", message: error.description)
        case .protocolViolation:
            self.init(.cannotConnect, retryAfter: .zero, message: "no TLS there: \(error.description)")
        case .truncated:
            self.init(.cannotConnect, retryAfter: .zero, message: "the connection has ended")
        case .handshakeTimedOut:
            self.init(.cannotConnect, retryAfter: .zero, message: error.description)
        }
    }
}
