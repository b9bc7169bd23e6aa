import CarillonHTTP2

/// The changes of the faults to the handling of one request.
struct FaultPlan {
    /// The end of the request.
    enum Ending {
        /// The normal answer.
        case plain
        /// The answer, later or in another form.
        case answer
        case reversed(among: Int)
        case reset(ErrorCode)
        case silence
    }

    var ending = Ending.plain
    var isProcessed = true
    /// The delay of the answer in milliseconds.
    private(set) var delay: Int64
    private(set) var frameBytes = Int.max
    /// The error of the clock in seconds.
    var skew: Int64 = 0

    init(delay: Int64) { self.delay = delay }

    var isPlain: Bool { if case .plain = ending { true } else { false } }

    mutating func add(_ delay: Int64) {
        self.delay += delay
        if isPlain { ending = .answer }
    }

    mutating func split(_ bytes: Int) {
        frameBytes = bytes
        if isPlain { ending = .answer }
    }
}
