import CarillonCore

/// The submissions of one batch, and their results in order.
struct WriteBatch {
    /// The positions of the write-ahead log around the record of a batch. They are equal without a log, and while
    /// the record is being appended: the position after it is known at its end.
    struct WALRange: Equatable {
        var before: WALPosition
        var after: WALPosition
    }

    /// A batch without submissions, which is answered.
    static var empty: WriteBatch { WriteBatch([], startedAtNanoseconds: 0) }

    typealias SubmissionResult = Result<MutationAnswer, RegistryError>

    /// The submissions. The loops of a batch borrow them through `span`: a copy retains each array of a change.
    let submissions: [Submission]
    /// The indices of the submissions that are applied, ascending.
    private(set) var admitted: [Int] = []
    /// The results of the submissions; nil for those that are not known yet.
    private var results: [SubmissionResult?]
    private var answeredCount = 0
    /// The positions of the log around the record of the batch; nil if no submission is admitted, and before the record
    /// is begun.
    var walRange: WALRange?
    /// The nanoseconds of `CLOCK_MONOTONIC` at which the batch was begun.
    let startedAtNanoseconds: UInt64
    /// True if the results of all admitted submissions are known, because the batch was applied by a replay.
    private(set) var isApplied = false

    init(_ submissions: [Submission], startedAtNanoseconds: UInt64) {
        self.submissions = submissions
        self.startedAtNanoseconds = startedAtNanoseconds
        results = Array(repeating: nil, count: submissions.count)
    }

    /// Decides which submissions are applied.
    ///
    /// - Parameter refusal: the error of a submission that is not applied; nil if it is applied.
    mutating func admit(unless refusal: (Submission) -> RegistryError?) {
        admitted.reserveCapacity(submissions.count)
        for index in submissions.indices {
            if let refusal = refusal(submissions.span[index]) {
                results[index] = .failure(refusal)
            } else {
                admitted.append(index)
            }
        }
    }

    /// Refuses all submissions that are admitted.
    mutating func refuseAll(_ error: RegistryError) {
        for index in admitted { results[index] = .failure(error) }
        admitted = []
    }

    /// Refuses the admitted submissions that a condition does not let through.
    mutating func refuse(_ error: RegistryError, unless isPossible: (Submission) -> Bool) {
        var possible: [Int] = []
        for index in admitted {
            if isPossible(submissions[index]) { possible.append(index) } else { results[index] = .failure(error) }
        }
        admitted = possible
    }

    /// The number of changes that are applied.
    var changeCount: Int { admitted.reduce(0) { $0 + submissions.span[$1].changeCount } }

    /// Sets the result of a submission by its index in `admitted`.
    mutating func set(_ result: SubmissionResult, at index: Int) { results[admitted[index]] = result }

    /// Sets the results of the last mutations of the batch, in order: now the batch is applied. They come from a log,
    /// which may be damaged.
    ///
    /// - Returns: false if the result of a submission is unknown nevertheless, if the results are too many, or if one
    ///   belongs to another mutation.
    mutating func setLast(_ results: [SubmissionResult]) -> Bool {
        guard results.count <= admitted.count else { return false }
        let first = admitted.count - results.count
        for (index, result) in results.enumerated() {
            if case .success(let answer) = result, !submissions.span[admitted[first + index]].accepts(answer) {
                return false
            }
        }
        for (index, result) in results.enumerated() { set(result, at: first + index) }
        isApplied = admitted.allSatisfy { self.results[$0] != nil }
        return isApplied
    }

    /// Takes the results of the batch out of the results of a replay, by LSN.
    ///
    /// - Returns: the record of the batch, if the replay has not met all of its changes. Nil if it has, or if the batch
    ///   has no record.
    mutating func setReplayed(_ results: [UInt64: [SubmissionResult]]) -> UInt64? {
        guard let lsn = walRange?.after.lsn else { return nil }
        return setLast(results[lsn] ?? []) ? nil : lsn
    }

    var isAnswered: Bool { answeredCount == submissions.count }

    /// Answers the next submissions in order. The result of each must be known.
    mutating func answer(atMost limit: Int) {
        let end = min(answeredCount + limit, submissions.count)
        let submissions = submissions
        while answeredCount < end {
            // Only the completion is read: a call of `complete` of the submission copies the submission.
            submissions.span[answeredCount].completion.complete(knownResult(at: answeredCount))
            answeredCount += 1
        }
    }

    /// Answers the next submissions in order, and skips the submissions that wait.
    ///
    /// - Parameter waits: true if the caller has taken the answer, and will give it.
    mutating func answer(atMost limit: Int, unless waits: (Submission, SubmissionResult) -> Bool) {
        let end = min(answeredCount + limit, submissions.count)
        while answeredCount < end {
            let result = knownResult(at: answeredCount)
            if !waits(submissions.span[answeredCount], result) { submissions.span[answeredCount].complete(result) }
            answeredCount += 1
        }
    }

    private func knownResult(at index: Int) -> SubmissionResult {
        guard let result = results[index] else { preconditionFailure("the result of a submission is unknown") }
        return result
    }

    /// Answers the remaining submissions, each with its result, or with the error if its result is not known.
    mutating func fail(_ error: RegistryError) {
        while answeredCount < submissions.count {
            submissions[answeredCount].complete(results[answeredCount] ?? .failure(error))
            answeredCount += 1
        }
    }
}
