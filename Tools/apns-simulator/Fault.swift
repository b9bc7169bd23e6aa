import CarillonHTTP2
import CarillonTLS
import Glibc

/// Something that goes wrong on purpose: what, and when.
struct Fault {
    /// At which point of a connection's life it happens.
    enum Moment: String, Decodable, Sendable {
        /// TCP is connected; no byte was read.
        case accept
        /// TLS is agreed; SETTINGS were not sent.
        case open
        /// A whole request has come.
        case request
        /// At once, on every connection that is open.
        case now
    }

    /// What happens.
    enum Action: Sendable {
        /// GOAWAY.
        case goAway(Departure)
        /// RST_STREAM in place of the answer.
        case reset(ErrorCode)
        /// No answer, ever.
        case silence
        /// The answer comes late.
        case delay(Delay)
        /// So many answers wait for each other and come in reversed order.
        case reverse(Int)
        /// The body of the answer comes in DATA frames of so many bytes.
        case split(Int)
        /// The clock that judges provider tokens is wrong by so many seconds.
        case skew(Int64)
        /// SETTINGS, by number.
        case settings([Setting])
        /// Bytes inside TLS that HTTP/2 does not expect here.
        case frame(BadFrame)
        /// So many PINGs at once.
        case pings(Int)
        /// PINGs are not answered any more.
        case ignorePings
        /// The connection ends without GOAWAY.
        case close(Ending)
        /// Nothing is read or written any more; the connection ends after so many milliseconds.
        case freeze(Int64)
        /// So many bytes are read a second.
        case slowRead(Int)
        /// TLS with another certificate or other protocols.
        case tls(TLSContext)
        /// These bytes in place of an answer to the TLS client's hello.
        case hello([UInt8])
    }

    struct Setting: Sendable {
        var id: UInt32
        var value: UInt32
    }

    /// How a connection ends.
    enum Ending: String, Decodable, Sendable {
        /// TLS says goodbye, then TCP.
        case polite
        /// TCP ends in good order, TLS does not.
        case fin
        /// TCP is reset; what was not yet sent is lost.
        case reset
    }

    /// What a GOAWAY says.
    struct Departure: Sendable {
        enum Form: String, Decodable, Sendable {
            /// Everything that has come is answered.
            case all
            /// The warning of RFC 9113, section 6.8, and what is meant 200 ms later.
            case graceful
            /// This request and those after it are refused, those before it answered.
            case some
            /// Nothing was processed.
            case none
        }

        var form = Form.all
        var code = ErrorCode.noError
        var reason: String?
        /// How often it is said.
        var count = 1

        var debugData: [UInt8] { reason.map { Array("{\"reason\":\(quoted($0))}".utf8) } ?? [] }
    }

    /// How long an answer waits, in milliseconds.
    enum Delay: Sendable {
        case even(ClosedRange<Int64>)
        /// Exponential, cut at ten times the mean.
        case around(mean: Double)

        func sample(_ dice: inout Dice) -> Int64 {
            switch self {
            case .even(let range):
                range.lowerBound + Int64(dice.unit() * Double(range.upperBound - range.lowerBound + 1))
            case .around(let mean): Int64(min(-mean * log(1 - dice.unit()), mean * 10))
            }
        }
    }

    /// As in the line, for the count.
    var name: String
    var action: Action
    var moment: Moment
    /// Whether the request that it meets counts as processed.
    var isProcessed = true
    var trigger: Trigger
    /// For `now`: how many milliseconds it waits.
    var after: Int64 = 0
}

/// All faults that were asked for.
struct Faults {
    private var byMoment: [Fault.Moment: [Fault]] = [:]
    private var orders: [Fault] = []
    private var count = 0
    private(set) var dice: Dice
    /// How often each has happened.
    private(set) var happened: [String: Int] = [:]
    /// Whether any is about requests: asked for each.
    private(set) var watchesRequests = false

    private static let limit = 1000

    init(seed: UInt64) { dice = Dice(seed: seed) }

    mutating func add(_ fault: Fault) throws {
        guard count < Faults.limit else { throw Problem(text: "more than \(Faults.limit) faults") }
        count += 1
        if fault.moment == .now { return orders.append(fault) }
        byMoment[fault.moment, default: []].append(fault)
        if fault.moment == .request { watchesRequests = true }
    }

    /// Forgets all faults, and not what has happened.
    mutating func removeAll() {
        (byMoment, orders, count, watchesRequests) = ([:], [], 0, false)
    }

    /// Whether any may happen at a moment.
    func mayHappen(_ moment: Fault.Moment) -> Bool { byMoment[moment] != nil }

    mutating func forgetCounts() { happened = [:] }

    /// Those that happen at a moment, in the order of their lines.
    mutating func happening(
        _ moment: Fault.Moment,
        on hex: UnsafeRawBufferPointer? = nil,
        at now: Int64
    ) -> [Fault] {
        guard var faults = byMoment[moment] else { return [] }
        byMoment[moment] = nil
        var result: [Fault] = []
        for index in faults.indices where faults[index].trigger.fires(on: hex, at: now) {
            happened[faults[index].name, default: 0] += 1
            result.append(faults[index])
        }
        byMoment[moment] = faults
        return result
    }

    /// Those for all open connections that were not taken yet.
    mutating func takeOrders() -> [Fault] {
        defer { orders = [] }
        for order in orders { happened[order.name, default: 0] += 1 }
        count -= orders.count
        return orders
    }

    mutating func sample(_ delay: Fault.Delay) -> Int64 { delay.sample(&dice) }

    /// A seed for the next trigger.
    mutating func nextSeed() -> UInt64 { dice.next() }
}
