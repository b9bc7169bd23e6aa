package import CarillonHTTP2
package import CarillonTLS
import Glibc

package import struct CarillonCore.SeededGenerator

/// A fault that is caused on purpose: what happens, and when.
package struct Fault {
    /// The moment in the life of a connection at which a fault happens.
    package enum Moment: String, Decodable, Sendable {
        /// TCP is connected; no byte was read.
        case accept
        /// TLS is complete; SETTINGS were not sent.
        case open
        /// A complete request was received.
        case request
        /// The fault begins at once, on every connection that is open.
        case now
    }

    /// The action of a fault.
    package enum Action: Sendable {
        /// GOAWAY.
        case goAway(GoAway)
        /// RST_STREAM instead of the answer.
        case reset(HTTP2ErrorCode)
        /// No answer, ever.
        case silence
        /// The answer is sent late.
        case delay(Delay)
        /// A number of answers wait for each other and are sent in reversed order.
        case reverse(Int)
        /// The body of the answer is sent in DATA frames of that size.
        case split(bytes: Int)
        /// The clock that checks provider tokens is wrong by that much.
        case skew(seconds: Int64)
        /// SETTINGS, by number.
        case settings([Setting])
        /// Bytes inside TLS that HTTP/2 does not expect here.
        case frame(BadFrame)
        /// A number of PINGs at once.
        case pings(Int)
        /// PINGs are not answered any more.
        case ignorePings
        /// The connection ends without GOAWAY.
        case close(Ending)
        /// Nothing is read or written any more; the connection ends after that time.
        case freeze(milliseconds: Int64)
        /// At most that many bytes are read a second.
        case slowRead(bytesPerSecond: Int)
        /// TLS with another certificate or other protocols.
        case tls(TLSContext)
        /// These bytes instead of an answer to the TLS client's hello.
        case hello([UInt8])
    }

    package struct Setting: Sendable {
        package var id: UInt32
        package var value: UInt32
    }

    /// The end of a connection.
    package enum Ending: String, Decodable, Sendable {
        /// TLS sends close_notify, then TCP ends.
        case polite
        /// TCP ends normally, TLS without close_notify.
        case fin
        /// TCP is reset; what was not yet sent is lost.
        case reset
    }

    /// The contents of a GOAWAY.
    package struct GoAway: Sendable {
        package enum Form: String, Decodable, Sendable {
            /// Every received request is answered.
            case all
            /// The notice of RFC 9113, section 6.8, and the final GOAWAY 200 ms later.
            case graceful
            /// Refuses this request and all later ones; earlier ones are answered.
            case some
            /// Nothing was processed.
            case none
        }

        package var form = Form.all
        package var code = HTTP2ErrorCode.noError
        package var reason: String?
        /// The number of times that it is sent.
        package var count = 1

        package init(form: Form = .all, code: HTTP2ErrorCode = .noError, reason: String? = nil, count: Int = 1) {
            (self.form, self.code, self.reason, self.count) = (form, code, reason, count)
        }

        package var debugData: [UInt8] { reason.map { Array("{\"reason\":\(quoted($0))}".utf8) } ?? [] }
    }

    /// The delay of an answer, in milliseconds.
    package enum Delay: Sendable {
        case even(ClosedRange<Int64>)
        /// Exponential, cut at ten times the mean.
        case around(mean: Double)

        package func sampleMilliseconds(_ random: inout SeededGenerator) -> Int64 {
            switch self {
            case .even(let range):
                range.lowerBound + Int64(random.unit() * Double(range.upperBound - range.lowerBound + 1))
            case .around(let mean): Int64(min(-mean * log(1 - random.unit()), mean * 10))
            }
        }
    }

    /// The name in the rule, for the counts.
    package var name: String
    package var action: Action
    package var moment: Moment
    /// True if the request that the fault is about counts as processed.
    package var isProcessed = true
    package var trigger: Trigger
    /// For `now`: the delay until it happens.
    package var afterMilliseconds: Int64 = 0
}
