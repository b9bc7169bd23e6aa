import CarillonHTTP2
import CarillonTLS
import Glibc

/// A fault that is caused on purpose: what happens, and when.
struct Fault {
    /// The moment in the life of a connection at which a fault happens.
    enum Moment: String, Decodable, Sendable {
        /// TCP is connected; no byte was read.
        case accept
        /// TLS is complete; SETTINGS were not sent.
        case open
        /// A complete request was received.
        case request
        /// At once, on every connection that is open.
        case now
    }

    /// The action of a fault.
    enum Action: Sendable {
        /// GOAWAY.
        case goAway(GoAway)
        /// RST_STREAM instead of the answer.
        case reset(ErrorCode)
        /// No answer, ever.
        case silence
        /// The answer is sent late.
        case delay(Delay)
        /// A number of answers wait for each other and are sent in reversed order.
        case reverse(Int)
        /// The body of the answer is sent in DATA frames of that many bytes.
        case split(Int)
        /// The clock that checks provider tokens is wrong by that many seconds.
        case skew(Int64)
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
        /// Nothing is read or written any more; the connection ends after that many milliseconds.
        case freeze(Int64)
        /// At most that many bytes are read a second.
        case slowRead(Int)
        /// TLS with another certificate or other protocols.
        case tls(TLSContext)
        /// These bytes instead of an answer to the TLS client's hello.
        case hello([UInt8])
    }

    struct Setting: Sendable {
        var id: UInt32
        var value: UInt32
    }

    /// The end of a connection.
    enum Ending: String, Decodable, Sendable {
        /// TLS sends close_notify, then TCP ends.
        case polite
        /// TCP ends normally, TLS without close_notify.
        case fin
        /// TCP is reset; what was not yet sent is lost.
        case reset
    }

    /// The contents of a GOAWAY.
    struct GoAway: Sendable {
        enum Form: String, Decodable, Sendable {
            /// Every received request is answered.
            case all
            /// The notice of RFC 9113, section 6.8, and the final GOAWAY 200 ms later.
            case graceful
            /// This request and those after it are refused, those before it answered.
            case some
            /// Nothing was processed.
            case none
        }

        var form = Form.all
        var code = ErrorCode.noError
        var reason: String?
        /// The number of times that it is sent.
        var count = 1

        var debugData: [UInt8] { reason.map { Array("{\"reason\":\(quoted($0))}".utf8) } ?? [] }
    }

    /// The delay of an answer, in milliseconds.
    enum Delay: Sendable {
        case even(ClosedRange<Int64>)
        /// Exponential, cut at ten times the mean.
        case around(mean: Double)

        func sample(_ random: inout SeededGenerator) -> Int64 {
            switch self {
            case .even(let range):
                range.lowerBound + Int64(random.unit() * Double(range.upperBound - range.lowerBound + 1))
            case .around(let mean): Int64(min(-mean * log(1 - random.unit()), mean * 10))
            }
        }
    }

    /// The name in the rule, for the counts.
    var name: String
    var action: Action
    var moment: Moment
    /// True if the request that the fault is about counts as processed.
    var isProcessed = true
    var trigger: Trigger
    /// For `now`: the delay in milliseconds.
    var after: Int64 = 0
}
