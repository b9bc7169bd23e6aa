import CarillonCluster
import CarillonCore

/// The scenarios of ends: of appends, and of members.
extension LogScenario {
    // MARK: Appends with an unknown end

    static let ends: [LogScenario] =
        SimulatedLogDatabase.AppendEnd.allCases.map { end in
            LogScenario("an append with an unknown end is in the log once: \(end)") { deployment in
                let node = try TestNode(deployment, "a")
                let member = try await node.join().member
                var rule = AppendRule(member: member)
                try require(await node.carryOut(&rule, "one"), is: .appended(2))
                try deployment.loseNextAppend(of: node.log, end)
                guard case .appended = await node.carryOut(&rule, "two") else {
                    throw ScenarioFailure(description: "two was not appended")
                }
                try require(await node.carryOut(&rule, "three"), is: .appended(4))
                try deployment.deliverLateAppends()
                try require(await node.carryOut(&rule, "four"), is: .appended(5))
                let texts = try await node.readAll(after: 1).map { entry in
                    if case .changes(let bytes) = entry.content { String(decoding: bytes, as: UTF8.self) } else { "" }
                }
                try require(texts, is: ["one", "two", "three", "four"])
            }
        } + [
            LogScenario("a sequence that is settled is closed") { deployment in
                let node = try TestNode(deployment, "a")
                let member = try await node.join().member
                _ = try await node.append(member, 2, "two").get()
                _ = try await node.append(member, 4, "four").get()
                try require(try await node.settle(member, 2), is: .appended(2))
                try require(try await node.settle(member, 3), is: .never)
                try require(try await node.settle(member, 4), is: .appended(3))
                try require(try await node.settle(member, 7), is: .never)
                try require(try await node.settle(member, 7), is: .never)
                for sequence in [1, 2, 3, 7] as [UInt64] {
                    let result = await node.append(member, sequence, "again")
                    guard case .failure = result else { throw ScenarioFailure(description: "\(sequence): \(result)") }
                }
                try require(await node.append(member, 8, "eight"), is: .success(4))
                try require(try await node.readAll(after: 3).count, is: 1)
            },
            LogScenario("an entry of an incarnation that is over can be settled") { deployment in
                let node = try TestNode(deployment, "a")
                let first = try await node.join().member
                _ = try await node.append(first, 2, "two").get()
                _ = try await node.join()
                try require(try await node.settle(first, 2), is: .appended(2))
                try require(try await node.settle(first, 3), is: .never)
                try require(await node.append(first, 4, "four"), is: .failure(.fenced))
            },
            LogScenario("a log database that stops and starts has lost nothing") { deployment in
                let node = try TestNode(deployment, "a")
                let member = try await node.join().member
                try require(await node.append(member, 2, "before"), is: .success(2))
                try deployment.stopDatabase()
                let failure = try await node.failure { completion in
                    guard let entry = TestNode.entry(member, 3, .changes([])) else { return }
                    node.log.append(entry, withinMilliseconds: 300, completion)
                }
                try require(failure.isTransient, is: true)
                try deployment.startDatabase()
                try require(try await untilTrue { try? await node.settle(member, 3) }, is: .never)
                try require(await node.append(member, 4, "after"), is: .success(3))
                try require(try await node.readAll(after: 1).count, is: 2)
            },
        ]

    // MARK: Members that are over

    static let expiries: [LogScenario] = [
        LogScenario("a member that does not renew its lease is expired, and is fenced from then on") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let first = try await a.join().member
            let second = try await b.join().member
            let early = RequiredSilence(renewals: 1, milliseconds: TestNode.endlessMilliseconds)
            try require(await a.expire(second, by: first, sequence: 2, silence: early), is: .failure(.leaseRenewed))
            _ = try await b.renew(b.progress(second)).get()
            let stale = RequiredSilence(renewals: 1, milliseconds: 0)
            try require(await a.expire(second, by: first, sequence: 3, silence: stale), is: .failure(.leaseRenewed))
            let silence = RequiredSilence(renewals: 2, milliseconds: TestNode.leaseMilliseconds)
            var sequence: UInt64 = 3
            let position = try await untilTrue { () -> LogPosition? in
                sequence += 1
                return try? await a.expire(second, by: first, sequence: sequence, silence: silence).get()
            }
            try require(position, is: 3)
            try require(await b.append(second, 2, "late"), is: .failure(.fenced))
            try require(await b.renew(b.progress(second)).map { _ in 0 }, is: .failure(.fenced))
            try require(try await a.readAll(after: 2).map(\.content), is: [.expired(second)])
            try require(try await a.view().nodes.map(\.isLive), is: [true, false])
            let again = await a.expire(second, by: first, sequence: sequence + 1, silence: silence)
            try require(again, is: .failure(.leaseRenewed))
            try require(try await b.join().member.incarnation, is: 3)
        },
        LogScenario("an operator removes a member that is not silent") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let first = try await a.join().member
            let second = try await b.join().member
            try require(await a.expire(second, by: first, sequence: 2, silence: nil), is: .success(3))
            try require(await b.append(second, 2, "late"), is: .failure(.fenced))
        },
        LogScenario("a member that has left is over") { deployment in
            let node = try TestNode(deployment, "a")
            let member = try await node.join().member
            try require(await node.append(member, 2, .left), is: .success(2))
            try require(await node.append(member, 3, "late"), is: .failure(.fenced))
            try require(await node.renew(node.progress(member)).map { _ in 0 }, is: .failure(.fenced))
            try require(try await node.view().liveNodes, is: [])
        },
        LogScenario("a member that is over expires no other") { deployment in
            let a = try TestNode(deployment, "a")
            let b = try TestNode(deployment, "b")
            let first = try await a.join().member
            let second = try await b.join().member
            try require(await a.append(first, 2, .left), is: .success(3))
            try require(await a.expire(second, by: first, sequence: 3, silence: nil), is: .failure(.fenced))
            try require(await b.append(second, 2, "alive"), is: .success(4))
        },
    ]
}
