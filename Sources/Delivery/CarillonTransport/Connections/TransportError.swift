import CarillonHTTP2
import CarillonTLS

/// The reason why a connection cannot be used.
enum TransportError: Error, CustomStringConvertible {
    /// TLS did not negotiate `h2`.
    case noHTTP2

    var description: String {
        switch self {
        case .noHTTP2: "the peer does not speak HTTP/2"
        }
    }
}
