package import CarillonHTTP2

/// The changes of the faults to the handling of one request.
package struct FaultPlan {
    /// The end of the request.
    package enum Ending {
        /// The normal answer.
        case plain
        /// The answer, later or in another form.
        case answer
        case reversed(among: Int)
        case reset(HTTP2ErrorCode)
        case silence
    }

    package var ending = Ending.plain
    package var isProcessed = true
    /// The delay of the answer in milliseconds.
    package private(set) var delay: Int64
    package private(set) var frameBytes = Int.max
    /// The error of the clock in seconds.
    package var skew: Int64 = 0

    package init(delay: Int64) { self.delay = delay }

    package var isPlain: Bool { if case .plain = ending { true } else { false } }

    package mutating func add(_ delay: Int64) {
        self.delay += delay
        if isPlain { ending = .answer }
    }

    package mutating func split(_ bytes: Int) {
        frameBytes = bytes
        if isPlain { ending = .answer }
    }
}
