import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonPostgreSQLTestKit
import Testing

@testable import CarillonPostgreSQL

/// The shared log on a real PostgreSQL: the promises of every log database, cuts at each request and answer, and
/// refusals of a start.
///
/// The nodes are `TestNode`s, whose comment has the language of these tests. `deployment.proxy(of:)` stands between a
/// node and PostgreSQL: it counts the node's reads, and can cut the connection or hold it up.
struct PostgreSQLLogTests {
    @Test(arguments: LogScenario.all)
    func `PostgreSQL keeps each promise`(scenario: LogScenario) async throws {
        let stopsDatabase = scenario.name.contains("stops and starts")
        let server = try stopsDatabase ? TestPostgreSQL() : TestPostgreSQL.shared()
        try await scenario.run(try PostgreSQLDeployment(server))
    }

    @Test func `entries come without notifications`() async throws {
        var polling = PostgreSQLLog.Polling()
        polling.usesNotifications = false
        let deployment = try PostgreSQLDeployment(try .shared(), polling: polling)
        let scenario = try #require(LogScenario.all.first { $0.name.hasPrefix("a wait for entries") })
        try await scenario.run(deployment)
    }

    @Test func `a wait for entries polls only after a notification`() async throws {
        // The test has a server of its own, as the server also notifies of the logs of the other tests.
        var polling = PostgreSQLLog.Polling()
        polling.intervalWithNotificationsMilliseconds = 600_000
        polling.gatherMilliseconds = 0
        let deployment = try PostgreSQLDeployment(try TestPostgreSQL(), polling: polling)
        let (a, b) = (try TestNode(deployment, "a"), try TestNode(deployment, "b"))
        let (first, _) = (try await a.join().member, try await b.join())
        let proxy = try deployment.proxy(of: b.log)
        // The first call of a connection polls twice: at once, and at the end of its time.
        try require(try await b.answer { b.log.awaitEntries(after: 2, withinMilliseconds: 1, $0) }.ends.head, is: 2)
        let polls = proxy.reads
        let wait = b.begin { b.log.awaitEntries(after: 2, withinMilliseconds: TestNode.callMilliseconds, $0) }
        _ = try await a.append(first, 2, "first").get()
        #expect(try await wait().get().ends.head == 3)
        let next = b.begin { b.log.awaitEntries(after: 3, withinMilliseconds: TestNode.callMilliseconds, $0) }
        _ = try await a.append(first, 3, "second").get()
        #expect(try await next().get().ends.head == 4)
        #expect(proxy.reads == polls + 2, "one poll for each notification")
        // An entry that comes while no call waits ends the next call.
        _ = try await a.append(first, 4, "third").get()
        let later = try await b.answer {
            b.log.awaitEntries(after: 4, withinMilliseconds: TestNode.callMilliseconds, $0)
        }
        #expect(later.ends.head == 5)
    }

    @Test func `entries that come soon after one another are read together`() async throws {
        var polling = PostgreSQLLog.Polling()
        polling.gatherMilliseconds = 600_000
        let deployment = try PostgreSQLDeployment(try TestPostgreSQL(), polling: polling)
        let (a, b) = (try TestNode(deployment, "a"), try TestNode(deployment, "b"))
        let (first, _) = (try await a.join().member, try await b.join())
        let proxy = try deployment.proxy(of: b.log)
        _ = try await a.append(first, 2, "first").get()
        let page = try await b.answer {
            b.log.awaitEntries(after: 2, withinMilliseconds: TestNode.callMilliseconds, $0)
        }
        #expect(page.entries.count == 1)
        let polls = proxy.reads
        _ = b.begin { b.log.awaitEntries(after: 3, withinMilliseconds: TestNode.callMilliseconds, $0) }
        for number in [3, 4, 5] as [UInt64] { _ = try await a.append(first, number, "entry \(number)").get() }
        #expect(proxy.reads == polls, "there is no poll while entries are gathered")
        // A read that a caller asks for does not wait.
        #expect(try await b.readAll(after: 3).count == 3)
    }

    // MARK: A connection that is cut

    /// Appends again and again, with the connection cut one message later each time, until an append has no more
    /// messages. Returns the number of messages of an append.
    private func appendCut(at plan: (Int) -> MessageProxy.Plan) async throws -> Int {
        let deployment = try PostgreSQLDeployment(try .shared())
        let node = try TestNode(deployment, "a")
        var rule = AppendRule(member: try await node.join().member)
        let proxy = try deployment.proxy(of: node.log)
        var number = 0
        repeat {
            proxy.set(plan(number))
            try require(await node.carryOut(&rule, "\(number)"), is: .appended(LogPosition(UInt64(number) + 2)))
            number += 1
        } while proxy.isDone
        let contents = try await node.readAll(after: 1).map(\.content)
        try require(contents, is: (0..<number).map { .changes(Array("\($0)".utf8)) })
        return number - 1
    }

    @Test func `an append that is cut at any of its requests is in the log once`() async throws {
        // Two pipelines: Bind, Describe and Execute of each statement, and a Sync each; on a new connection Parse as
        // well.
        #expect(try await appendCut { .cutBeforeRequest($0) } > 20)
    }

    @Test func `an append that is cut at any of its answers is in the log once`() async throws {
        #expect(try await appendCut { .cutBeforeAnswer($0) } > 15)
    }

    @Test func `a node that is cut off in the middle of an append holds up no other`() async throws {
        let deployment = try PostgreSQLDeployment(try .shared())
        let (a, b) = (try TestNode(deployment, "a"), try TestNode(deployment, "b"))
        let (first, second) = (try await a.join().member, try await b.join().member)
        // The log database gets the bytes of the entry of a, and nothing more.
        let proxy = try deployment.proxy(of: a.log)
        proxy.set(.holdPlacement)
        let entry = try #require(TestNode.entry(first, 2, .changes([1])))
        let end = a.begin { a.log.append(entry, withinMilliseconds: TestNode.callMilliseconds, $0) }
        #expect(Self.effect(of: await end()) == .unknown)
        #expect(await b.append(second, 2, "b") == .success(3))
        #expect(try await a.settle(first, 2) == .never)
        proxy.release()
        #expect(await b.append(second, 3, "b") == .success(4))
        #expect(try await b.readAll(after: 2).map(\.id.member) == [second, second])
    }

    /// An append whose commit waits for a standby that is missing.
    private struct WaitingAppend {
        let id: LogEntry.ID
        /// The process of PostgreSQL that waits.
        let process: String
        let end: @Sendable () async -> Result<LogPosition, LogError>
    }

    /// Appends until a commit waits for the standby: the setting is in force a moment after its reload.
    private static func beginWaitingAppend(by member: Member, at node: TestNode, _ server: TestPostgreSQL) throws
        -> WaitingAppend
    {
        var sequence: UInt64 = 1
        while true {
            sequence += 1
            let entry = try #require(TestNode.entry(member, sequence, .changes([1])))
            let isDone = Flag()
            let end = node.begin { completion in
                node.log.append(entry, withinMilliseconds: TestNode.callMilliseconds) { result in
                    isDone.set()
                    completion(result)
                }
            }
            while !isDone.isSet {
                let process = try server.query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                if !process.isEmpty { return WaitingAppend(id: entry.id, process: process, end: end) }
            }
        }
    }

    @Test func `a commit whose standby is not waited for has an unknown end`() async throws {
        let server = try TestPostgreSQL()
        let node = try TestNode(try PostgreSQLDeployment(server), "a")
        let member = try await node.join().member
        try server.query("ALTER SYSTEM SET synchronous_standby_names = 'missing'")
        try server.query("SELECT pg_reload_conf()")
        let append = try Self.beginWaitingAppend(by: member, at: node, server)
        // After this, PostgreSQL answers that the commit is done, with a warning.
        try server.query("SELECT pg_cancel_backend(\(append.process))")
        #expect(Self.effect(of: await append.end()) == .unknown)
        // The settlement waits for the standby as well.
        let id = append.id
        #expect(Self.effect(of: await node.result { node.log.settle(id, withinMilliseconds: 3_000, $0) }) == .unknown)
        try server.query("ALTER SYSTEM RESET synchronous_standby_names")
        try server.query("SELECT pg_reload_conf()")
        let settlement = try await LogScenario.untilTrue { try? await node.settle(member, id.sequence) }
        #expect(settlement == .appended(LogPosition(id.sequence)))
    }

    // MARK: What is refused

    /// Returns the effect of a failure; nil for an answer.
    private static func effect<T>(of result: Result<T, LogError>) -> LogError.Effect? {
        if case .failure(let failure) = result { failure.effect } else { nil }
    }

    /// Returns the failure of a join that is tried again for some milliseconds.
    private func failure(_ connection: String, withinMilliseconds milliseconds: UInt64 = TestNode.callMilliseconds)
        async throws -> LogError
    {
        let log = try PostgreSQLLog(connection)
        defer { log.close() }
        let node = JoiningNode(
            name: try #require(NodeName("a")), replicaID: .random(), address: "", format: 1, leaseMilliseconds: 1_000)
        let result = await withCheckedContinuation { continuation in
            log.join(node, withinMilliseconds: milliseconds) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let membership): throw ScenarioFailure(description: "\(membership) instead of a failure")
        case .failure(let failure): return failure
        }
    }

    @Test func `a wrong password is refused and not shown`() async throws {
        let server = try TestPostgreSQL.shared()
        let schema = try server.newSchema()
        let wrong = server.connection(to: schema, user: "with_password", parameters: "password='wrong donkey'")
        let failure = try await failure(wrong)
        guard case .refused(let reason) = failure else { throw ScenarioFailure(description: "\(failure)") }
        #expect(reason.contains("28P01"))
        #expect(!reason.contains("donkey"))
        let right = server.connection(to: schema, user: "with_password", parameters: "password='correct horse'")
        await #expect(throws: ScenarioFailure.self) { _ = try await self.failure(right) }
    }

    @Test func `a connection uses TLS if its string asks for TLS`() async throws {
        let server = try TestPostgreSQL.shared()
        let schema = try server.newSchema()
        let plain = try await failure(server.connection(to: schema, user: "with_tls", parameters: "sslmode=disable"))
        guard case .refused(let reason) = plain else { throw ScenarioFailure(description: "\(plain)") }
        #expect(reason.contains("28000"))
        let verified = server.connection(
            to: schema, user: "with_tls", parameters: "sslmode=verify-full sslrootcert=/nowhere")
        #expect(try await failure(verified, withinMilliseconds: 3_000).effect == .none)
        let trusted = "sslmode=verify-full sslrootcert=\(server.directory)/data/server.crt"
        try server.allowReadingCertificate()
        await #expect(throws: ScenarioFailure.self) {
            _ = try await self.failure(server.connection(to: schema, user: "with_tls", parameters: trusted))
        }
    }

    @Test(arguments: [
        ("user=without_rights", "28000"), ("dbname=nowhere", "3D000"),
        ("options='-c search_path=no_such_schema'", "3F000"),
    ])
    func `a database that only an operator can repair is refused`(option: String, state: String) async throws {
        let server = try TestPostgreSQL.shared()
        let failure = try await failure(server.connection(to: try server.newSchema(), parameters: option))
        guard case .refused(let reason) = failure else { throw ScenarioFailure(description: "\(failure)") }
        #expect(reason.contains(state))
    }

    @Test func `tables of another version are refused`() async throws {
        let deployment = try PostgreSQLDeployment(try .shared())
        _ = try await TestNode(deployment, "a").join()
        try deployment.server.query("UPDATE \(deployment.schema).carillon_head SET schema_version = 2")
        let failure = try await failure(deployment.server.connection(to: deployment.schema))
        #expect(failure == .refused("the tables of the log are of version 2, and this program needs version 1"))
    }

    @Test func `tables that are missing are refused`() async throws {
        let deployment = try PostgreSQLDeployment(try .shared())
        let node = try TestNode(deployment, "a")
        let member = try await node.join().member
        try deployment.server.query("DROP TABLE \(deployment.schema).carillon_body")
        guard case .failure(.refused(let reason)) = await node.append(member, 2, "x") else {
            throw ScenarioFailure(description: "it was not refused")
        }
        #expect(reason.hasPrefix("the tables of the log are missing"))
    }

    @Test func `tables that were made in part are completed`() async throws {
        let deployment = try PostgreSQLDeployment(try .shared())
        for statement in Schema.tables.prefix(4) {
            try deployment.server.query("SET search_path = \(deployment.schema); \(statement.sql)")
        }
        #expect(try await TestNode(deployment, "a").join().position == 1)
    }

    @Test func `a database with another log is refused`() async throws {
        let deployment = try PostgreSQLDeployment(try .shared())
        let membership = try await TestNode(deployment, "a").join()
        for (log, isKnown) in [(membership.log, true), (UUIDBytes.random(), false)] {
            let other = try PostgreSQLLog(deployment.server.connection(to: deployment.schema), log: log)
            defer { other.close() }
            let result = await withCheckedContinuation { continuation in
                other.view(withinMilliseconds: TestNode.callMilliseconds) { continuation.resume(returning: $0) }
            }
            let isAnswered = (try? result.get()) != nil
            #expect(isAnswered == isKnown)
        }
    }

    @Test func `a missing library is named`() {
        #expect(throws: LogError.refused("PostgreSQL's client library libpq.so.999 is not there: install libpq5")) {
            _ = try PostgreSQLLog("host=127.0.0.1", library: "libpq.so.999")
        }
    }

    @Test func `a connection string that cannot be parsed is not shown`() throws {
        let failure = #expect(throws: LogError.self) { _ = try PostgreSQLLog("postgresql://a:secret@[::1") }
        #expect(failure.map { !"\($0)".contains("secret") } == true)
    }

    @Test func `a log database that is not there is unavailable at the deadline`() async throws {
        let failure = try await failure("host=127.0.0.1 port=1 user=a", withinMilliseconds: 3_000)
        #expect(failure.effect == .none)
        #expect(failure.isTransient)
        #expect("\(failure)".contains("refused"))
    }

    @Test func `a log that is closed fails each call once`() async throws {
        let log = try PostgreSQLLog("host=127.0.0.1 port=1 user=a")
        let (ends, continuation) = AsyncStream.makeStream(of: String.self)
        @Sendable func end(_ call: String, _ result: Result<some Any, LogError>) {
            continuation.yield("\(call) \((try? result.get()) == nil ? "failed" : "succeeded")")
        }
        log.view(withinMilliseconds: 60_000) { end("view", $0) }
        log.awaitEntries(after: 0, withinMilliseconds: 60_000) { end("wait", $0) }
        log.close()
        log.view(withinMilliseconds: 60_000) { end("late view", $0) }
        var found: [String] = []
        for await line in ends.prefix(3) { found.append(line) }
        #expect(found.sorted() == ["late view failed", "view failed", "wait failed"])
    }
}
