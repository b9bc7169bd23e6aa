package import CarillonCluster
import CarillonCore
import Synchronization

/// The shared log of one node, which reaches a simulated log database on a path of its own.
package final class SimulatedLog: SharedLog {
    /// A call that waits for its answer. Its completion is called once.
    private final class Pending<Answer: Sendable>: Sendable {
        private let completion: Mutex<LogCompletion<Answer>?>

        init(_ completion: @escaping LogCompletion<Answer>) { self.completion = Mutex(completion) }

        /// Takes the completion, and returns the function that calls it; nil after the first time.
        func end(_ result: Result<Answer, LogError>) -> (@Sendable () -> Void)? {
            guard let completion = completion.withLock({ $0.take() }) else { return nil }
            return { @Sendable in completion(result) }
        }
    }

    private let database: SimulatedLogDatabase
    let path: Int

    init(database: SimulatedLogDatabase, path: Int) { (self.database, self.path) = (database, path) }

    package func close() {}

    /// Sends a call, which the log database carries out when it arrives, and sends the answer back.
    ///
    /// - Parameter changes: true if the call changes the log, so that its effect is unknown if no answer comes.
    private func call<Answer: Sendable>(
        withinMilliseconds milliseconds: UInt64, changes: Bool, isAppend: Bool = false,
        _ completion: @escaping LogCompletion<Answer>,
        _ body: @escaping @Sendable (inout SimulatedState, UInt64) throws(LogError) -> Answer
    ) {
        callDatabase(withinMilliseconds: milliseconds, changes: changes, isAppend: isAppend, completion) {
            inside, clock throws(LogError) in try body(&inside.state, clock)
        }
    }

    /// Sends a call as ``call`` does, if its effect needs more than the tables of the log database.
    private func callDatabase<Answer: Sendable>(
        withinMilliseconds milliseconds: UInt64, changes: Bool, isAppend: Bool = false,
        _ completion: @escaping LogCompletion<Answer>,
        _ body: @escaping @Sendable (inout SimulatedLogDatabase.Inside, UInt64) throws(LogError) -> Answer
    ) {
        let pending = Pending(completion)
        let path = path
        let effect: LogError.Effect = changes ? .unknown : .none
        database.withInside { inside in
            inside.schedule(after: milliseconds) { _ in
                pending.end(.failure(.unavailable(effect, "the log database did not answer in time")))
            }
            let end = isAppend ? inside.paths[path]?.nextAppend.take() : nil
            let isLost = inside.paths[path]?.isCutThere == true || inside.happens(inside.network.loss) || end == .lost
            let isBroken = inside.happens(inside.network.breaks) || end != nil
            if isBroken {
                let delay = inside.delay()
                inside.schedule(after: delay) { _ in
                    pending.end(.failure(.unavailable(effect, "the connection was lost")))
                }
            }
            guard !isLost else { return }
            let delay = end == .late ? milliseconds + 1_000 : inside.delay()
            inside.schedule(after: delay) { inside in
                guard !inside.isDown else { return nil }
                let clock = inside.clock
                let result = Result { () throws(LogError) in try body(&inside, clock) }
                inside.answerWaiters()
                guard inside.paths[path]?.isCutBack != true, !inside.happens(inside.network.loss), end == nil else {
                    return nil
                }
                let back = inside.delay() + (inside.paths[path]?.slownessBack ?? 0)
                inside.schedule(after: back) { _ in pending.end(result) }
                return nil
            }
        }
    }

    package func join(
        _ node: JoiningNode, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<JoinedNode>
    ) {
        let path = path
        let (newLog, number) = database.withInside { inside in
            inside.joins[path, default: (0, 0)].sent += 1
            return (UUIDBytes(high: inside.random.next(), low: inside.random.next()), inside.joins[path]?.sent ?? 0)
        }
        callDatabase(withinMilliseconds: milliseconds, changes: true, completion) { inside, now throws(LogError) in
            guard inside.joins[path]?.carriedOut ?? 0 < number else {
                throw .unavailable(.none, "a later join was carried out")
            }
            inside.joins[path]?.carriedOut = number
            return try inside.state.join(node, newLog: newLog, at: now)
        }
    }

    package func append(
        _ entry: LogEntry, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<LogPosition>
    ) {
        expire(entry, silence: nil, withinMilliseconds: milliseconds, completion)
    }

    package func expire(
        _ entry: LogEntry, silence: RequiredSilence?, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPosition>
    ) {
        call(withinMilliseconds: milliseconds, changes: true, isAppend: true, completion) {
            state, now throws(LogError) in
            try state.append(entry, silence: silence, at: now)
        }
    }

    package func settle(
        _ id: LogEntry.ID, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<Settlement>
    ) {
        call(withinMilliseconds: milliseconds, changes: true, completion) { state, _ throws(LogError) in
            state.settle(id)
        }
    }

    package func read(
        after position: LogPosition, limit: ReadLimit, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPage>
    ) {
        call(withinMilliseconds: milliseconds, changes: false, completion) { state, _ throws(LogError) in
            try state.read(after: position, limit: limit)
        }
    }

    package func awaitEntries(
        after position: LogPosition, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPage>
    ) {
        let pending = Pending(completion)
        let path = path
        database.withInside { inside in
            let before = inside.waiting[path]
            inside.waiting[path] = nil
            if let before, let page = try? inside.waitAnswer(after: before.position) { before.answer(&inside, page) }
            let number = inside.nextNumber()
            // The time is over: the head as it is then.
            inside.schedule(after: milliseconds) { inside in
                if inside.waiting[path]?.number == number { inside.waiting[path] = nil }
                let isCut = inside.paths[path]?.isCutThere == true
                let isDown = inside.isDown
                guard !isCut, !isDown else {
                    return pending.end(.failure(.unavailable(.none, "the log database did not answer in time")))
                }
                return pending.end(Result { () throws(LogError) in try inside.waitAnswer(after: position) })
            }
            inside.waiting[path] = SimulatedLogDatabase.Waiter(number: number, position: position) { inside, page in
                let delay = inside.delay()
                inside.schedule(after: delay) { _ in pending.end(.success(page)) }
            }
            inside.answerWaiters()
        }
    }

    package func renew(
        _ progress: NodeProgress, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<ClusterView>
    ) {
        call(withinMilliseconds: milliseconds, changes: true, completion) { state, now throws(LogError) in
            try state.renew(progress, at: now)
        }
    }

    package func view(withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<ClusterView>) {
        call(withinMilliseconds: milliseconds, changes: false, completion) { state, now throws(LogError) in
            try state.view(at: now)
        }
    }

    package func beginSnapshot(
        _ snapshot: SnapshotHeader, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<SnapshotID>
    ) {
        call(withinMilliseconds: milliseconds, changes: true, completion) { state, _ throws(LogError) in
            try state.beginSnapshot(snapshot)
        }
    }

    package func putSnapshotChunk(
        _ bytes: [UInt8], number: UInt32, of snapshot: SnapshotID, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>
    ) {
        guard (1...SnapshotHeader.maximumChunkBytes).contains(bytes.count) else {
            return completion(.failure(.refused("a chunk has 1 to \(SnapshotHeader.maximumChunkBytes) bytes")))
        }
        call(withinMilliseconds: milliseconds, changes: true, completion) { state, _ throws(LogError) in
            try state.putSnapshotChunk(bytes, number: number, of: snapshot)
        }
    }

    package func completeSnapshot(
        _ snapshot: SnapshotID, chunks count: UInt32, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>
    ) {
        call(withinMilliseconds: milliseconds, changes: true, completion) { state, _ throws(LogError) in
            try state.completeSnapshot(snapshot, chunks: count)
        }
    }

    package func snapshotChunk(
        _ number: UInt32, of snapshot: SnapshotID, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<[UInt8]>
    ) {
        call(withinMilliseconds: milliseconds, changes: false, completion) { state, _ throws(LogError) in
            try state.snapshotChunk(number, of: snapshot)
        }
    }

    package func trim(
        through position: LogPosition, snapshotsBefore snapshots: LogPosition, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>
    ) {
        call(withinMilliseconds: milliseconds, changes: true, completion) { state, _ throws(LogError) in
            try state.trim(through: position, snapshotsBefore: snapshots)
        }
    }
}
