import CarillonCore
import CarillonHTTP2
import CarillonProvider

/// The pushes of one connection: their submission, the attempts that have no answer yet, and the results that wait to
/// be given back.
struct ConnectionPushes: ~Copyable {
    private let target: PoolTarget
    private let source: any DeliverySource
    private let metrics: PoolMetrics
    private let statistics: ConnectionStatistics
    /// The number of the connection, for TRACE.
    private let connection: UInt32
    private var submitter: PushSubmitter
    private var inFlight = InFlightTable()
    private var results = ResultBatch()
    /// The most bytes of an error description that are read. Windows' are one sentence.
    private static let maximumErrorDescriptionBytes = 256
    /// The error descriptions of open streams. Only the push service of Windows sends some, with a refusal.
    private var errorDescriptions: [UInt64: String] = [:]
    /// The number of pushes that the provider has answered on this connection.
    private(set) var answerCount = 0
    /// True once the connection has pulled a push.
    private(set) var hasPulled = false

    /// Makes the pushes of a new connection.
    ///
    /// - Parameters:
    ///   - source: gets the results back.
    ///   - connection: the number of the connection, for TRACE.
    init(
        to target: PoolTarget, source: any DeliverySource, metrics: PoolMetrics, statistics: ConnectionStatistics,
        connection: Int
    ) {
        self.target = target
        self.source = source
        self.metrics = metrics
        self.statistics = statistics
        self.connection = UInt32(truncatingIfNeeded: connection)
        submitter = PushSubmitter(target)
    }

    /// The number of pushes that have no answer.
    var unanswered: Int { inFlight.count }
    /// True if results wait to be given back.
    var hasResults: Bool { !results.isEmpty }

    // MARK: Submitting

    /// Counts pushes that were pulled and are submitted next. They count as in flight until `giveBack`, also those that
    /// cannot be submitted.
    mutating func countPulled(_ count: Int) {
        hasPulled = true
        metrics.pushesPulled(count)
    }

    /// Submits deliveries as requests, and returns the ones that were not submitted, which have no result yet.
    mutating func submit(
        _ deliveries: ArraySlice<Delivery>, to http2: HTTP2ClientSession, authorization: RequestAuthorization?,
        at now: Moment
    ) -> [UnsubmittedDelivery] {
        submitter.submit(deliveries, to: http2, authorization: authorization, at: now, inFlight: &inFlight)
    }

    /// Marks the attempts that were submitted before `limit` as overdue, and returns their streams, which must be
    /// cancelled.
    mutating func markOverdue(submittedBefore limit: Uptime) -> [Int32] { inFlight.markOverdue(startedBefore: limit) }

    // MARK: Ends

    /// Records the `apns-unique-id` of a push.
    mutating func setUniqueID(_ id: String?, of tag: UInt64) { inFlight.setUniqueID(id, of: tag) }

    /// Records the error description of an open stream.
    mutating func setErrorDescription(_ text: UnsafeRawBufferPointer, of tag: UInt64) {
        errorDescriptions[tag] = String(decoding: text.prefix(Self.maximumErrorDescriptionBytes), as: UTF8.self)
    }

    /// Removes and returns the error description of a stream that has ended; nil if there is none.
    @inline(__always)
    mutating func removeErrorDescription(of tag: UInt64) -> String? {
        errorDescriptions.isEmpty ? nil : errorDescriptions.removeValue(forKey: tag)
    }

    /// Removes and returns the attempt of a stream that has ended; nil if there is none.
    @inline(__always)
    mutating func remove(_ tag: UInt64) -> InFlightTable.EndedAttempt? { inFlight.remove(tag) }

    /// Appends the result of a well-formed answer 200.
    @inline(__always)
    mutating func appendDelivered(_ ended: consuming InFlightTable.EndedAttempt) {
        results.appendDelivered(ended.attempt, connection: connection, uniqueID: ended.uniqueID)
    }

    /// Appends the result of an attempt that did not end with a well-formed answer 200.
    mutating func append(_ attempt: consuming Attempt, as end: AttemptEnd, uniqueID: String? = nil) {
        metrics.countUndecided(end.verdict)
        results.append(attempt, as: end, connection: connection, uniqueID: uniqueID)
    }

    /// Appends the results of all attempts whose streams are open when the connection ends. Returns the ones that had
    /// no answer.
    mutating func failAll(of http2: HTTP2ClientSession) -> [Attempt] {
        var unanswered: [Attempt] = []
        http2.forEachOpenStream { tag, _, wasSent, status in
            guard let attempt = inFlight.remove(tag)?.attempt else { return }
            let end = AttemptEnd(atEndOfConnection: status, wasSent: wasSent)
            if wasSent, end.verdict == .unknown { unanswered.append(attempt) }
            append(attempt, as: end)
        }
        errorDescriptions.removeAll()
        return unanswered
    }

    /// Gives the results to the source and forgets them. Counts the answers, and tells the access tokens if the
    /// provider has accepted one.
    mutating func giveBack() {
        guard !results.isEmpty else { return }
        answerCount &+= results.answeredCount
        metrics.pushesCompleted(results.count, answered200: results.answered200Count)
        statistics.countAnswers(results.answeredCount, busy: results.busyCount)
        if results.answered200Count > 0 { target.accessTokens?.tokenAccepted() }
        source.attemptsEnded(results.results, for: target.key)
        results.removeAll()
    }
}
