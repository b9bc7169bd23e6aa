import CarillonCluster
import CarillonCore

/// A scenario that every shared log must pass: one row for each promise. The tests of each log database run all of
/// them.
package struct LogScenario: Sendable, CustomStringConvertible {
    package var name: String
    package var run: @Sendable (any LogDeployment) async throws -> Void

    package var description: String { name }

    init(_ name: String, _ run: @escaping @Sendable (any LogDeployment) async throws -> Void) {
        self.name = name
        self.run = run
    }

    /// All scenarios.
    package static let all: [LogScenario] = nodes + entries + ends + expiries + snapshots + trimming

    // MARK: Nodes

    private static let nodes: [LogScenario] = [
        LogScenario("the first node makes the log") { deployment in
            let node = try TestNode(deployment, "a")
            let membership = try await node.join()
            try require(membership.member.incarnation, is: 1)
            try require(membership.position, is: 1)
            try require(try await node.readAll().map(\.content), is: [.joined])
        },
        LogScenario("several nodes that begin at once make one log") { deployment in
            let nodes = try ["a", "b", "c", "d"].map { try TestNode(deployment, $0) }
            let memberships = try await withThrowingTaskGroup(of: JoinedNode.self) { group in
                for node in nodes { group.addTask { try await node.join() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try require(Set(memberships.map(\.log)).count, is: 1, "logs")
            try require(memberships.map(\.member.incarnation).sorted(), is: [1, 2, 3, 4])
            try require(memberships.map(\.position).sorted(), is: [1, 2, 3, 4])
        },
        LogScenario("a node that joins again ends its incarnation before") { deployment in
            let node = try TestNode(deployment, "a")
            let first = try await node.join().member
            let second = try await node.join().member
            try require(second.incarnation, is: first.incarnation + 1)
            try require(await node.append(first, 2, "old"), is: .failure(.fenced))
            try require(await node.renew(node.progress(first)).map { _ in 0 }, is: .failure(.fenced))
            try require(await node.append(second, 2, "new"), is: .success(3))
        },
        LogScenario("another replica gets the name when the lease has ended") { deployment in
            let node = try TestNode(deployment, "a")
            let other = try TestNode(deployment, "a")
            let first = try await node.join(lease: TestNode.endlessMilliseconds).member
            let failure = try await other.failure { completion in
                other.log.join(
                    JoiningNode(
                        name: other.name, replicaID: other.replicaID, address: "", format: 1, leaseMilliseconds: 100),
                    withinMilliseconds: TestNode.callMilliseconds, completion)
            }
            guard case .nameInUse = failure else { throw ScenarioFailure(description: "\(failure)") }
            _ = try await node.renew(node.progress(first, lease: 1)).get()
            let second = try await untilTrue { try? await other.join().member }
            try require(second > first, is: true)
            try require(await node.append(first, 2, "old"), is: .failure(.fenced))
        },
        LogScenario("a view has what the nodes have published") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let first = try await a.join()
            let second = try await b.join()
            try require(first.log, is: second.log)
            let view = try await a.renew(a.progress(first.member, applied: 2)).get()
            try require(view.log, is: first.log)
            try require(view.ends, is: LogEnds(head: 2, trimmed: 0))
            try require(view.nodes.map(\.member), is: [first.member, second.member])
            try require(view.nodes.map(\.renewals), is: [2, 1])
            try require(view.nodes[0].progress, is: a.progress(first.member, applied: 2))
            try require(view.nodes.map(\.isLive), is: [true, true])
            try require(try await b.view().nodes.map(\.renewals), is: [2, 1])
        },
    ]

    // MARK: Entries

    private static let entries: [LogScenario] = [
        LogScenario("positions are dense under concurrent appends of several nodes") { deployment in
            let nodes = try ["a", "b", "c"].map { try TestNode(deployment, $0) }
            var members: [Member] = []
            for node in nodes { members.append(try await node.join().member) }
            let positions = try await withThrowingTaskGroup(of: [LogPosition].self) { group in
                for (node, member) in zip(nodes, members) {
                    group.addTask {
                        var positions: [LogPosition] = []
                        for sequence in 2...21 as ClosedRange<UInt64> {
                            positions.append(try await node.append(member, sequence, "\(member) \(sequence)").get())
                        }
                        return positions
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try require(positions.joined().map(\.number).sorted(), is: Array(4...63))
            for own in positions { try require(own, is: own.sorted(), "the order of one node") }
            let entries = try await nodes[0].readAll(ReadLimit(entries: 7))
            try require(entries.count, is: 63)
            for member in members {
                try require(entries.filter { $0.id.member == member }.map(\.id.sequence), is: Array(1...21))
            }
        },
        LogScenario("a read returns no more than its limit, and at least one entry") { deployment in
            let node = try TestNode(deployment, "a")
            let member = try await node.join().member
            for sequence in 2...6 as ClosedRange<UInt64> {
                let changes = [UInt8](repeating: UInt8(sequence), count: 1_000)
                _ = try await node.append(member, sequence, .changes(changes)).get()
            }
            let few = try await node.read(after: 1, ReadLimit(entries: 2)).get()
            try require(few.entries.map(\.id.sequence), is: [2, 3])
            let small = try await node.read(after: 1, ReadLimit(bytes: 2_500)).get()
            try require(small.entries.map(\.id.sequence), is: [2, 3])
            let least = try await node.read(after: 3, ReadLimit(bytes: 1)).get()
            try require(least.entries.map(\.id.sequence), is: [4])
            try require(try await node.read(after: 6).get().entries, is: [])
            try require(try await node.read(after: 6).get().ends.head, is: 6)
        },
        LogScenario("an entry has up to 8 MiB of any bytes") { deployment in
            let node = try TestNode(deployment, "a")
            let member = try await node.join().member
            let changes = (0..<LogEntry.maximumChangeBytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            try require(await node.append(member, 2, .changes(changes)), is: .success(2))
            try require(await node.append(member, 3, .changes([])), is: .success(3))
            try require(try await node.readAll(after: 1).map(\.content), is: [.changes(changes), .changes([])])
        },
        LogScenario("a read after a position that the log does not have fails") { deployment in
            let node = try TestNode(deployment, "a")
            _ = try await node.join()
            guard case .failure(.corrupted) = await node.read(after: 9) else {
                throw ScenarioFailure(description: "a log that has gone back was read")
            }
        },
        LogScenario("a wait for entries ends with an entry, and at the latest when the time is over") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let first = try await a.join().member
            _ = try await b.join()
            let present = try await b.answer {
                b.log.awaitEntries(after: 1, withinMilliseconds: TestNode.callMilliseconds, $0)
            }
            try require(present.ends.head, is: 2)
            try require(
                try await b.answer { b.log.awaitEntries(after: 2, withinMilliseconds: 20, $0) }.ends.head, is: 2)
            let wait = b.begin { b.log.awaitEntries(after: 2, withinMilliseconds: TestNode.callMilliseconds, $0) }
            _ = try await a.append(first, 2, "entry").get()
            let page = try await wait().get()
            try require(page.ends.head, is: 3)
            // The entry may come with the head.
            if !page.entries.isEmpty { try require(page, is: try await b.read(after: 2).get()) }
        },
    ]

    /// Calls `body` until it returns a value, 5,000 times at most, and returns the value.
    package static func untilTrue<T>(_ body: () async throws -> T?) async throws -> T {
        for _ in 0..<5_000 { if let value = try await body() { return value } }
        throw ScenarioFailure(description: "it did not become true")
    }
}

extension TestNode {
    fileprivate func readAll(_ limit: ReadLimit) async throws -> [LogEntry] { try await readAll(after: 0, limit) }
}
