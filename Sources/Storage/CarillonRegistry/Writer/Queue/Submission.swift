import CarillonCore
import CarillonThread
import Synchronization

/// A mutation that waits for the writer.
struct Submission: Sendable {
    let mutation: Mutation
    /// The time after which the mutation is refused if it has not begun; nil if the mutation may wait for ever.
    let deadline: Uptime?
    /// The number of changes, for limits.
    let changeCount: Int
    /// The number of bytes of the changes, roughly, for limits.
    let byteCount: Int
    /// The completion, which is called once, without a lock held, with as many answers as there are changes.
    let completion: Completion

    /// The caller that gets the answer of a submission.
    enum Completion: Sendable {
        case change(@Sendable (Result<ChangeAnswer, RegistryError>) -> Void)
        /// One of several changes that are answered together.
        case oneOf(CompletionBarrier, index: Int)
        case changes(@Sendable (Result<[ChangeAnswer], RegistryError>) -> Void)
        case sweep(BlockingResult<Completeness, RegistryError>)
    }

    /// Makes the submission of one change.
    ///
    /// - Parameter chunkCount: the number of chunks of the largest app.
    init(
        _ change: Change, deadline: Uptime?, chunkCount: Int,
        _ completion: @escaping @Sendable (Result<ChangeAnswer, RegistryError>) -> Void
    ) {
        self.init(change, deadline: deadline, chunkCount: chunkCount, .change(completion))
    }

    /// Makes the submission of one of the changes that are answered together.
    init(_ change: Change, deadline: Uptime?, chunkCount: Int, barrier: CompletionBarrier, index: Int) {
        self.init(change, deadline: deadline, chunkCount: chunkCount, .oneOf(barrier, index: index))
    }

    private init(_ change: Change, deadline: Uptime?, chunkCount: Int, _ completion: Completion) {
        var bytes = 64 + change.traits.bytes
        if case .accept(let message, _, _) = change { bytes += message.audience.countingBytes(chunkCount: chunkCount) }
        changeCount = 1
        byteCount = bytes
        mutation = .change(change)
        self.deadline = deadline
        self.completion = completion
    }

    /// Makes the submission of changes that take effect together.
    init(
        _ changes: [Change], deadline: Uptime?,
        _ completion: @escaping @Sendable (Result<[ChangeAnswer], RegistryError>) -> Void
    ) {
        changeCount = max(1, changes.count)
        byteCount = changes.reduce(64) { $0 + $1.traits.bytes }
        mutation = .changes(changes)
        self.deadline = deadline
        self.completion = .changes(completion)
    }

    init(sweep now: Timestamp, _ result: BlockingResult<Completeness, RegistryError>) {
        changeCount = 1
        byteCount = 64
        mutation = .sweep(now: now)
        deadline = nil
        completion = .sweep(result)
    }

    /// Returns true if an answer is of the kind of the mutation, with as many answers as there are changes. The answers
    /// of a replay may be of another kind, because another program may have written the log.
    func accepts(_ answer: MutationAnswer) -> Bool {
        switch (mutation, answer) {
        case (.change, .change), (.sweep, .swept): true
        case (.changes(let changes), .changes(let answers)): changes.count == answers.count
        default: false
        }
    }

    /// Calls the completion with the answer, which the submission must accept, or with the error.
    func complete(_ result: Result<MutationAnswer, RegistryError>) { completion.complete(result) }
}

extension Submission.Completion {
    /// Calls the completion with the answer, which must be of its kind, or with the error.
    func complete(_ result: Result<MutationAnswer, RegistryError>) {
        switch (self, result) {
        case (.change(let completion), .success(.change(let answer))): completion(.success(answer))
        case (.change(let completion), .failure(let error)): completion(.failure(error))
        case (.oneOf(let barrier, let index), .success(.change(let answer))): barrier.set(.success(answer), at: index)
        case (.oneOf(let barrier, let index), .failure(let error)): barrier.set(.failure(error), at: index)
        case (.changes(let completion), .success(.changes(let answers))): completion(.success(answers))
        case (.changes(let completion), .failure(let error)): completion(.failure(error))
        case (.sweep(let result), .success(.swept(let completeness))): result.set(.success(completeness))
        case (.sweep(let result), .failure(let error)): result.set(.failure(error))
        default: preconditionFailure("the answer of another kind of mutation")
        }
    }
}

extension Audience {
    /// The cost of reading one set in one chunk, as the number of bytes that take as long to write.
    private static let bytesPerTerm = 16
    /// The highest cost of an audience, however large the app is: the writer ends the counting after
    /// `defaultCountingSteps`.
    private static let maximumBytes = bytesPerTerm * LMDBRegistry.Options.defaultCountingSteps

    /// Returns the cost of counting the audience, in bytes that take about as long to write.
    ///
    /// The bound limits the chunks too, so that the product cannot overflow: a chunk costs more than a byte.
    ///
    /// - Parameter chunkCount: the number of chunks of the app.
    func countingBytes(chunkCount: Int) -> Int {
        guard case .condition(let condition) = self else { return 0 }
        return min(Self.bytesPerTerm * condition.setNames.count * min(chunkCount, Self.maximumBytes), Self.maximumBytes)
    }
}

/// The results of changes that were submitted together and are independent of each other. The completion is called
/// once, when the last result is known.
final class CompletionBarrier: Sendable {
    typealias Results = [Result<ChangeAnswer, RegistryError>]

    private struct State {
        var results: Results
        var missing: Int
    }

    private let state: Mutex<State>
    private let completion: @Sendable (Results) -> Void

    /// Makes a barrier for `count` results.
    ///
    /// - Parameter count: results to wait for, at least one.
    init(count: Int, _ completion: @escaping @Sendable (Results) -> Void) {
        // Every element is overwritten before the completion gets the results.
        state = Mutex(State(results: Array(repeating: .failure(.closed), count: count), missing: count))
        self.completion = completion
    }

    /// Sets the result of the change at `index`. Call it once for each change.
    func set(_ result: Result<ChangeAnswer, RegistryError>, at index: Int) {
        let results: Results? = state.withLock { state in
            state.results[index] = result
            state.missing -= 1
            return state.missing == 0 ? state.results : nil
        }
        if let results { completion(results) }
    }
}
