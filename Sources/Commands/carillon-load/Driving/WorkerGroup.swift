import CarillonCore
import NIOCore
import NIOPosix

/// All workers of a load, each on its own event loop.
struct WorkerGroup: Sendable {
    private let workers: [NIOLoopBound<Worker>]
    private let loops: [any EventLoop]

    /// Makes one worker for each thread. They share the connections and the rate.
    static func make(_ plan: LoadRunner.Plan, connector: LoadConnector, group: MultiThreadedEventLoopGroup)
        async throws
        -> WorkerGroup
    {
        let loops = Array(group.makeIterator()).prefix(plan.threads)
        var workers: [NIOLoopBound<Worker>] = []
        for (index, loop) in loops.enumerated() {
            var share = plan.worker
            let (each, remainder) = plan.connectionCount.quotientAndRemainder(dividingBy: loops.count)
            share.connectionCount = each + (index < remainder ? 1 : 0)
            let bound = try await loop.submit { [share] in
                let worker = Worker(
                    share, workerIndex: index, of: loops.count, connector: connector, eventLoop: loop)
                return NIOLoopBound(worker, eventLoop: loop)
            }.get()
            workers.append(bound)
        }
        return WorkerGroup(workers: workers, loops: Array(loops))
    }

    /// Connects all workers, and returns when all connections accept requests.
    func connect() async throws {
        _ = try await onEach { $0.connect() }
        for _ in 0..<500 {
            if try await onEach(\.isConnected).allSatisfy({ $0 }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw LoadTestError(
            "The server did not accept all connections within 10 s; its limits are limits.connections and "
                + "limits.halfOpenConnectionsPerAddress.")
    }

    /// Begins to send requests at the start of the load.
    func begin(_ measuredTime: MeasuredTime, loadStart: Timestamp) async throws {
        _ = try await onEach { $0.begin(measuredTime, loadStart: loadStart) }
    }

    func end(atNanoseconds time: UInt64) async throws { _ = try await onEach { $0.end(atNanoseconds: time) } }

    func state() async throws -> (counts: LoadCounts, inFlightCount: Int) {
        let states = try await onEach(\.state)
        let counts = states.dropFirst().reduce(into: states[0].counts) { $0.add($1.counts) }
        return (counts, states.reduce(0) { $0 + $1.inFlightCount })
    }

    var isDone: Bool {
        get async throws { try await onEach(\.isDone).allSatisfy { $0 } }
    }

    func stop() async throws -> LoadCounts {
        let counts = try await onEach { $0.stop() }
        return counts.dropFirst().reduce(into: counts[0]) { $0.add($1) }
    }

    /// Runs the body with each worker on its event loop, and returns the results in the order of the workers.
    private func onEach<Result: Sendable>(_ body: @escaping @Sendable (Worker) -> Result) async throws -> [Result] {
        var results: [Result] = []
        for (worker, loop) in zip(workers, loops) {
            results.append(try await loop.submit { body(worker.value) }.get())
        }
        return results
    }
}
