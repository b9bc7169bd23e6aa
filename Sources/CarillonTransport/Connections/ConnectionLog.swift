import CarillonClock
import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTLS
import Glibc
import Logging
import NIOCore
import Synchronization

/// The log of a pool's connections. The number of lines of one kind is limited (`LogRateLimit`).
final class ConnectionLog: Sendable {
    private let limit = Mutex(LogRateLimit())

    /// Writes a line, unless there were many with the same message. The next line that is written says how many were
    /// left out.
    func write(
        _ message: Logger.Message, _ metadata: Logger.Metadata, level: Logger.Level = .warning, to logger: Logger
    ) {
        let now = Clock.uptime()
        guard let omitted = limit.withLock({ $0.admitLine(of: "\(message)", at: now) }) else { return }
        var metadata = metadata
        if omitted > 0 { metadata["omitted_before"] = "\(omitted)" }
        logger.log(level: level, message, metadata: metadata)
    }

    /// Returns the text of an error of the network; NIO's own text names the function of NIO that has failed.
    static func text(of error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout(let limit): "no answer within \(limit.nanoseconds / 1_000_000_000) s"
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed: "the connection was closed"
        default: "\(error)"
        }
    }

    /// Returns the kind of fault of an error of the network.
    static func cause(of error: any Error) -> ConnectionFailureCause {
        switch error {
        case let error as TLSError: cause(of: error)
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

/// The error of a connection that has not become usable in time.
struct ConnectionTimeoutError: Error, CustomStringConvertible {
    /// The step that was waited for.
    var wait: String

    var description: String { "timed out: \(wait)" }
}
