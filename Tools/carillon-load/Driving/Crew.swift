import CarillonCore
import NIOCore
import NIOPosix

/// All workers of a load, each on an event loop of its own.
struct Crew: Sendable {
    private let members: [NIOLoopBound<Worker>]
    private let loops: [any EventLoop]

    /// One worker for each thread; they share connections and rate.
    static func hire(_ plan: LoadRunner.Plan, dialer: Dialer, _ group: MultiThreadedEventLoopGroup) async throws -> Crew
    {
        let loops = Array(group.makeIterator()).prefix(plan.threads)
        var members: [NIOLoopBound<Worker>] = []
        for (index, loop) in loops.enumerated() {
            var share = plan.worker
            let (each, more) = plan.connections.quotientAndRemainder(dividingBy: loops.count)
            share.connections = each + (index < more ? 1 : 0)
            let part = (index, loops.count)
            let member = try await loop.submit { [share] in
                let worker = Worker(share, part: part, dialer: dialer, eventLoop: loop)
                return NIOLoopBound(worker, eventLoop: loop)
            }.get()
            members.append(member)
        }
        return Crew(members: members, loops: Array(loops))
    }

    /// Connects; returns when all connections take requests.
    func connect() async throws {
        _ = try await all { $0.connect() }
        for _ in 0..<500 {
            if try await all(\.isConnected).allSatisfy({ $0 }) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Problem(
            "Not all connections are taken by the server within 10 s; its limits are limits.connections and "
                + "limits.handshakesPerAddress.")
    }

    /// Begins at the window's origin.
    func begin(_ window: Window, wallClock: Timestamp) async throws {
        _ = try await all { $0.begin(window, wallClock: wallClock) }
    }

    /// Lets the time that counts end sooner.
    func end(at time: UInt64) async throws { _ = try await all { $0.end(at: time) } }

    /// What has been counted so far, and how many requests are under way.
    func state() async throws -> (tally: Tally, underWay: Int) {
        let states = try await all(\.state)
        let tallies = states.dropFirst().reduce(into: states[0].tally) { $0.add($1.tally) }
        return (tallies, states.reduce(0) { $0 + $1.underWay })
    }

    /// Whether everything that was due has been answered.
    var isDone: Bool {
        get async throws { try await all(\.isDone).allSatisfy { $0 } }
    }

    /// Stops and closes all; what they have counted.
    func stop() async throws -> Tally {
        let tallies = try await all { $0.stop() }
        return tallies.dropFirst().reduce(into: tallies[0]) { $0.add($1) }
    }

    private func all<Answer: Sendable>(_ body: @escaping @Sendable (Worker) -> Answer) async throws -> [Answer] {
        var answers: [Answer] = []
        for (member, loop) in zip(members, loops) {
            answers.append(try await loop.submit { body(member.value) }.get())
        }
        return answers
    }
}
