import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTLS
import Glibc
import NIOCore

/// The error of a connection that has not become usable in time.
struct ConnectionTimeoutError: Error, CustomStringConvertible {
    /// The step that was waited for.
    var wait: String

    var description: String { "timed out: \(wait)" }
}
