import CarillonCore
package import CarillonHTTP2
import CarillonProvider
package import CarillonTLS

/// The answer to a single request.
package struct SingleResponse: Sendable {
    /// The final `:status`.
    package var status: UInt16
    /// The body, at most 16 KiB of it.
    package var body: [UInt8]
    /// The header `retry-after`; nil if the answer has none that can be read.
    package var retryAfter: RetryAfter?
}
