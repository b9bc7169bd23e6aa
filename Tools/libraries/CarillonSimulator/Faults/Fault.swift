package import CarillonHTTP2
package import CarillonTLS
import Glibc

package import struct CarillonCore.SeededGenerator

/// A fault that is caused on purpose: its action and its stage.
package struct Fault {
    /// The stage in the life of a connection at which a fault happens.
    package enum Stage: String, Decodable, Sendable {
        /// TCP is connected; no byte was read.
        case accept
        /// TLS is complete; SETTINGS were not sent.
        case open
        /// A complete request was received.
        case request
        /// The fault begins at once, on every connection that is open.
        case now
    }

    package enum Action: Sendable {
        /// GOAWAY is sent.
        case goAway(GoAway)
        /// RST_STREAM is sent instead of the answer.
        case reset(HTTP2ErrorCode)
        /// The answer is never sent.
        case silence
        /// The answer is sent late.
        case delay(Delay)
        /// A number of answers wait for each other and are sent in reversed order.
        case reverse(Int)
        /// The body of the answer is sent in DATA frames of that size.
        case split(bytes: Int)
        /// The clock that checks provider tokens is wrong by this time.
        case skew(seconds: Int64)
        /// SETTINGS are sent, by number.
        case settings([Setting])
        /// Bytes that HTTP/2 does not expect here are sent inside TLS.
        case frame(BadFrame)
        /// This number of PINGs is sent at once.
        case pings(Int)
        /// PINGs are no longer answered.
        case ignorePings
        /// The connection ends without GOAWAY.
        case close(Ending)
        /// The connection neither reads nor writes, and ends after this time.
        case freeze(milliseconds: Int64)
        /// The connection reads at most this number of bytes a second.
        case slowRead(bytesPerSecond: Int)
        /// TLS uses another certificate or other protocols.
        case tls(TLSContext)
        /// The TLS client's hello is answered with these bytes.
        case hello([UInt8])
    }

    /// A setting of HTTP/2 (RFC 9113, section 6.5.1).
    package struct Setting: Sendable {
        package var id: UInt32
        /// The value, which need not be allowed.
        package var value: UInt32
    }

    /// The end of a connection.
    package enum Ending: String, Decodable, Sendable {
        /// TLS sends close_notify, then TCP ends.
        case polite
        /// TCP ends normally, TLS without close_notify.
        case fin
        /// TCP is reset. Bytes that were not yet sent are lost.
        case reset
    }

    /// The contents of a GOAWAY.
    package struct GoAway: Sendable {
        /// The requests that the GOAWAY refuses. The raw value is the word of a rule.
        package enum Form: String, Decodable, Sendable {
            /// The GOAWAY refuses none that was received: all of these are answered.
            case refusesNone = "all"
            /// The notice of RFC 9113, section 6.8, is sent, and the final GOAWAY 200 ms later.
            case graceful
            /// The GOAWAY refuses this request and all later ones. Earlier ones are answered.
            case refusesLater = "some"
            /// The GOAWAY says that no request was processed.
            case refusesAll = "none"
        }

        package var form = Form.refusesNone
        package var code = HTTP2ErrorCode.noError
        /// Apple's reason in the debug data; nil if the frame has no debug data.
        package var reason: String?
        /// The number of times that the GOAWAY is sent.
        package var count = 1

        package init(
            form: Form = .refusesNone, code: HTTP2ErrorCode = .noError, reason: String? = nil, count: Int = 1
        ) {
            self.form = form
            self.code = code
            self.reason = reason
            self.count = count
        }

        /// The debug data of the frame, in the form of Apple's error bodies.
        package var debugData: [UInt8] { reason.map { Array("{\"reason\":\($0.asJSON)}".utf8) } ?? [] }
    }

    /// The delay of an answer, in milliseconds.
    package enum Delay: Sendable {
        case even(ClosedRange<Int64>)
        /// The delays are exponentially distributed, cut at ten times the mean.
        case around(mean: Double)

        package func sampleMilliseconds(_ random: inout SeededGenerator) -> Int64 {
            switch self {
            case .even(let range):
                range.lowerBound + Int64(random.unit() * Double(range.upperBound - range.lowerBound + 1))
            case .around(let mean): Int64(min(-mean * log(1 - random.unit()), mean * 10))
            }
        }
    }

    /// The name of the fault in the rule, for the counts.
    package var name: String
    package var action: Action
    /// The stage at which the fault happens.
    package var stage: Stage
    /// True if the request that the fault is about counts as processed.
    package var isProcessed = true
    package var trigger: Trigger
    /// The delay until a fault of the stage `now` happens.
    package var afterMilliseconds: Int64 = 0
}
