import Glibc
import NIOCore

/// Says in plain words why a connection to APNs was not made.
enum FailureReason {
    static func text(of error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: "no connection within the time"
        default: "\(error)"
        }
    }
}
