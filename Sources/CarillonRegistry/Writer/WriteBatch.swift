import CarillonCore

/// The submissions of one batch, and their results in order.
struct WriteBatch {
    typealias SubmissionResult = Result<Submission.Answer, RegistryError>

    let submissions: [Submission]
    /// The indices of the submissions that are applied, ascending.
    private(set) var admitted: [Int] = []
    /// The results that are known.
    private var results: [SubmissionResult?]
    /// The number of submissions that are answered.
    private var answered = 0

    init(_ submissions: [Submission]) {
        self.submissions = submissions
        results = Array(repeating: nil, count: submissions.count)
    }

    /// Decides which submissions are applied.
    ///
    /// - Parameter refusal: the error of one that is not; nil if it is.
    mutating func admit(unless refusal: (Submission) -> RegistryError?) {
        admitted.reserveCapacity(submissions.count)
        for (index, submission) in submissions.enumerated() {
            if let refusal = refusal(submission) {
                results[index] = .failure(refusal)
            } else {
                admitted.append(index)
            }
        }
    }

    /// The number of changes that are applied.
    var changes: Int { admitted.reduce(0) { $0 + submissions[$1].count } }

    /// Sets the result of a submission by its index in `admitted`.
    mutating func set(_ result: SubmissionResult, at index: Int) { results[admitted[index]] = result }

    /// True if all submissions are answered.
    var isAnswered: Bool { answered == submissions.count }

    /// Answers the next submissions in order. The result of each must be known.
    mutating func answer(atMost limit: Int) {
        let end = min(answered + limit, submissions.count)
        while answered < end {
            submissions[answered].complete(results[answered] ?? .failure(.closed))
            answered += 1
        }
    }

    /// Answers all of them: those whose result is not known with the error.
    mutating func fail(_ error: RegistryError) {
        while answered < submissions.count {
            submissions[answered].complete(results[answered] ?? .failure(error))
            answered += 1
        }
    }
}
