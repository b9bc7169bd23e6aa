package import CarillonHTTP2

/// Says how the faults change the handling of one request.
package struct FaultPlan {
    /// The end of the request.
    package enum Ending {
        /// The answer is sent as usual.
        case plain
        /// The answer is sent later or in another form.
        case changed
        case reversed(among: Int)
        case reset(HTTP2ErrorCode)
        case silence
    }

    package var ending = Ending.plain
    /// True if the request counts as processed.
    package var isProcessed = true
    package private(set) var delayMilliseconds: Int64
    /// The limit of body bytes in one DATA frame of the answer.
    package private(set) var frameBytes = Int.max
    /// The error of the clock that judges the request, in seconds.
    package var skewSeconds: Int64 = 0

    /// Makes a plan without faults.
    ///
    /// - Parameter delayMilliseconds: the delay of every response. Without a fault the answer is sent after it.
    package init(delayMilliseconds: Int64) { self.delayMilliseconds = delayMilliseconds }

    /// True if no fault changes the answer.
    package var isPlain: Bool { if case .plain = ending { true } else { false } }

    package mutating func addDelay(milliseconds: Int64) {
        delayMilliseconds += milliseconds
        if isPlain { ending = .changed }
    }

    /// Limits the body bytes in one DATA frame of the answer.
    package mutating func split(_ bytes: Int) {
        frameBytes = bytes
        if isPlain { ending = .changed }
    }
}
