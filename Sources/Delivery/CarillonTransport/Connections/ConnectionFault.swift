import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTLS
import Glibc
import NIOCore

/// An error that kept a connection from being made, or ended it, as logs and metrics show it.
struct ConnectionFault {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }

    /// The text of the error; NIO's own text names the function of NIO that has failed.
    var text: String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout(let limit): "no answer within \(limit.nanoseconds / 1_000_000_000) s"
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed: "the connection was closed"
        default: "\(error)"
        }
    }

    var cause: ConnectionFailureCause {
        switch error {
        case let error as TLSError: Self.cause(of: error)
        case let error as IOError where error.errnoCode == ECONNREFUSED: .refused
        case let error as IOError where error.errnoCode == ETIMEDOUT: .timeout
        case is IOError: .network
        case ChannelError.connectTimeout, is ConnectionTimeoutError: .timeout
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed: .closed
        case is ConnectError: .dns
        case is Proxy.TunnelError: .proxy
        case is TransportError, is HTTP2Error: .http2
        default: .other
        }
    }

    private static func cause(of error: TLSError) -> ConnectionFailureCause {
        switch error {
        case .certificateRejected(.expired): .certificateExpired
        case .certificateRejected(.notYetValid): .certificateNotYetValid
        case .certificateRejected(.nameMismatch): .certificateName
        case .certificateRejected(.unknownIssuer), .certificateRejected(.selfSigned): .certificateIssuer
        case .certificateRejected: .certificate
        case .alertReceived: .tlsAlert
        case .handshakeTimedOut: .timeout
        case .truncated: .closed
        case .noApplicationProtocol: .http2
        case .protocolViolation, .configuration, .misuse: .tls
        }
    }
}
