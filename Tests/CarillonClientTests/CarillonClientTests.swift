import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let token = DeviceToken([1, 2, 3, 4])!
private let address = DeviceAddress(environment: .production, kind: .device, token: token)
private let registration = Registration(app: app, address: address)
private let alert = MessageContent(app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8))
private let message = Message(content: alert, devices: [.id(DeviceID(rawValue: 7))])
private let device = Device(
    id: DeviceID(rawValue: 7),
    address: address,
    registeredAt: Timestamp(milliseconds: 5),
    seenAt: Timestamp(milliseconds: 4),
    state: .active
)

/// Makes a client of a scripted server.
///
/// - Parameter timeout: the time of each call; nil if no call may run out of time.
private func client(
    _ server: ScriptedServer, key: String? = nil, timeout: Duration? = nil, attempts: Int? = nil, tries: Int = 6
) -> CarillonClient {
    var configuration = scriptedConfiguration(server.port, key: key)
    if let timeout { configuration.requestTimeout = timeout }
    configuration.maximumRounds = attempts
    configuration.tries = tries
    return CarillonClient(configuration: configuration)
}

/// Returns the error that a call ends with; nil if it succeeds.
private func failure<T>(_ call: () async throws(CarillonError) -> T) async -> CarillonError? {
    do throws(CarillonError) {
        _ = try await call()
        return nil
    } catch {
        return error
    }
}

@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonClientTests {
    @Test func aRegistrationIsSentWithItsTimeAndAnswered() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let registered = client.register(registration)
        let peer = try await server.accept()
        let (id, sent) = try await peer.request(RegisterRequest.self)
        #expect(sent.seenAt > .zero)
        #expect(sent.address == address)
        peer.answer(id, RegisterAnswer(device: DeviceID(rawValue: 7), result: .created), to: RegisterRequest.self)
        #expect(try await registered == RegisteredDevice(id: DeviceID(rawValue: 7), result: .created))
        await client.close()
        try await peer.closed()
    }

    @Test func manyCallsShareOneConnectionAndAreAnsweredInAnyOrder() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let statuses = withTaskGroup(of: UInt64?.self) { group in
            for number in 1...200 as ClosedRange<UInt64> {
                group.addTask {
                    let status = try? await client.status(of: MessageID(rawValue: number), app: app)
                    return status?.total == number ? number : nil
                }
            }
            return await group.reduce(into: Set<UInt64>()) { if let number = $1 { $0.insert(number) } }
        }
        let peer = try await server.accept()
        var asked: [(UInt64, MessageStatusRequest)] = []
        while asked.count < 200 {
            asked.append(try await peer.request(MessageStatusRequest.self))
        }
        for (id, query) in asked.reversed() {
            peer.answer(id, MessageStatus.finished(total: query.id.rawValue), to: MessageStatusRequest.self)
        }
        #expect(await statuses.count == 200)
    }

    @Test func callsBeyondTheWindowWaitForIt() async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: .scripted(inFlightLimit: 2)))
        let client = client(server)
        async let all = withTaskGroup(of: Bool.self) { group in
            for _ in 0..<5 { group.addTask { (try? await client.lookup(.id(device.id), app: app)) == device } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let peer = try await server.accept()
        var open: [UInt64] = [try await peer.request().id, try await peer.request().id]
        for _ in 0..<3 {
            peer.answer(open.removeFirst(), device, to: LookupRequest.self)
            // Not before: a third request would have come here as the answer to nothing.
            open.append(try await peer.request().id)
        }
        for id in open { peer.answer(id, device, to: LookupRequest.self) }
        #expect(await all == 5)
    }

    @Test func aSendThatWasLostIsRepeatedWithItsKey() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let accepted = client.send(message)
        let first = try await server.accept()
        let lost = try await first.request(SendRequest.self).request
        #expect(lost.idempotencyKey != nil)
        first.close()
        let second = try await server.accept()
        let (id, request) = try await second.request()
        #expect(request == AnyRequest(lost))
        second.answer(
            id, Acceptance(id: MessageID(rawValue: 9), isDuplicate: true, total: 1, ended: 0), to: SendRequest.self)
        #expect(try await accepted.id == MessageID(rawValue: 9))
    }

    @Test func aSendIsNotRepeatedToAServerWithAnotherHistory() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let error = failure { () throws(CarillonError) in try await client.send(message) }
        let first = try await server.accept()
        _ = try await first.request()
        try await server.stop()
        var behaviour = ScriptedServer.PeerBehaviour()
        behaviour.helloAnswer?.epoch = UUIDBytes(high: 8, low: 8)
        let other = try await ScriptedServer.start(behaviour, port: server.port)
        first.close()
        _ = try await other.accept()
        #expect(await error?.code == .connectionLost)
        #expect(await error?.effect == .unknown)
    }

    @Test func aCallThatTheServerAllowsToRepeatIsRepeated() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let accepted = client.send(message)
        let peer = try await server.accept()
        let (first, _) = try await peer.request()
        peer.refuse(first, opcode: .send, ErrorReply(.rateLimited, retry: .after(milliseconds: 5), message: "slower"))
        let (second, _) = try await peer.request()
        peer.answer(
            second, Acceptance(id: MessageID(rawValue: 1), isDuplicate: false, total: 1, ended: 0), to: SendRequest.self
        )
        #expect(try await accepted.total == 1)
    }

    @Test func aRefusalNamesItsCodeItsFieldAndItsItem() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let error = failure { () throws(CarillonError) in try await client.send(message) }
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        let reply = ErrorReply(.invalidArgument, message: "not so", field: "devices", limit: 3, item: 2)
        peer.refuse(id, opcode: .send, reply)
        let found = try #require(await error)
        #expect((found.code, found.effect, found.retryAfter) == (.invalidArgument, .notExecuted, nil))
        #expect((found.field, found.limit, found.item, found.attempts) == ("devices", 3, 2, 1))
        #expect(found.key != nil)
        #expect(found.description == "INVALID_ARGUMENT: not so (devices[2])")
    }

    @Test func aGoAwayMovesRequestsThatWereNotExecutedToAnotherConnection() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let one = client.status(of: MessageID(rawValue: 1), app: app)
        let old = try await server.accept()
        let (first, _) = try await old.request()
        async let two = client.status(of: MessageID(rawValue: 2), app: app)
        _ = try await old.request()
        old.send { $0.goAway(.stopping(lastID: .max)) }
        old.send { $0.goAway(.stopping(lastID: first)) }
        let new = try await server.accept()
        let (again, request) = try await new.request()
        #expect(request == AnyRequest(MessageStatusRequest(app: app, id: MessageID(rawValue: 2))))
        new.answer(again, MessageStatus.finished(total: 2), to: MessageStatusRequest.self)
        #expect(try await two.total == 2)
        old.answer(first, MessageStatus.finished(total: 1), to: MessageStatusRequest.self)
        #expect(try await one.total == 1)
        try await old.closed()
    }

    @Test func aBatchHasAResultForEachItem() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let results = client.register(Array(repeating: registration, count: 1_500))
        let peer = try await server.accept()
        for expected in [1_000, 500] {
            let (id, batch) = try await peer.request(RegisterBatchRequest.self)
            let items = batch.items
            #expect(items.count == expected)
            var rows = [RegisterBatchItemAnswer](
                repeating: .registered(DeviceID(rawValue: 1), .refreshed),
                count: expected
            )
            rows[3] = .refused(.stale)
            peer.answer(id, rows, to: RegisterBatchRequest.self)
        }
        let all = await results
        #expect(all.count == 1_500)
        let refused = all.enumerated().filter { (try? $0.element.get()) == nil }
        #expect(refused.map(\.offset) == [3, 1_003])
        guard case .failure(let error) = all[3] else {
            Issue.record("accepted")
            return
        }
        #expect(error.code == .server(.stale))
        #expect(error.item == 3)
    }

    @Test func noAnswerIsATimeoutOfUnknownEffect() async throws {
        let server = try await ScriptedServer.start()
        let patient = client(server)
        try await patient.connect()
        let client = patient.with(timeout: .milliseconds(100))
        // On a busy machine the time of a call can be over before it is sent: it has no effect, and the next is made.
        var error: CarillonError?
        repeat {
            error = await failure { () throws(CarillonError) in try await client.register(registration) }
        } while error?.code == .noAnswer && error?.effect == .notExecuted
        #expect(error?.code == .noAnswer)
        #expect(error?.effect == .unknown)
        _ = try await server.accept().request(RegisterRequest.self)
        let harmless = await failure { () throws(CarillonError) in try await client.lookup(.id(device.id), app: app) }
        #expect(harmless?.code == .noAnswer)
        #expect(harmless?.effect == .notExecuted)
    }

    @Test func theServerIsToldOfTheDeadline() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server, timeout: .seconds(20))
        async let found = client.lookup(.id(device.id), app: app)
        let peer = try await server.accept()
        guard case .request(let id, _, let common) = await peer.next() else {
            throw ScriptedServer.UnexpectedPeerAction.event(nil)
        }
        #expect(try (1...20_000).contains(#require(common.deadlineMilliseconds)))
        peer.answer(id, device, to: LookupRequest.self)
        #expect(try await found == device)
    }

    @Test func aCancelledCallEndsBeforeItsAnswerAndTheConnectionGoesOn() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        let call = Task { await failure { () throws(CarillonError) in try await client.send(message) } }
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        call.cancel()
        let error = await call.value
        #expect(error?.code == .cancelled)
        #expect(error?.effect == .unknown)
        // The late answer does no harm, and the connection goes on.
        peer.answer(
            id, Acceptance(id: MessageID(rawValue: 1), isDuplicate: false, total: 1, ended: 0), to: SendRequest.self)
        async let lookup = client.lookup(.id(device.id), app: app)
        peer.answer(try await peer.request().id, device, to: LookupRequest.self)
        #expect(try await lookup == device)
    }

    @Test func aCallOfACancelledTaskIsNotSent() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await failure { () throws(CarillonError) in try await client.send(message) }
        }
        let error = await call.value
        #expect(error?.code == .cancelled)
        #expect(error?.effect == .notExecuted)
    }

    @Test func aWrongKeyFailsAtOnce() async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: .scripted(isAuthenticated: false)))
        let wrong = client(server, key: "wrong")
        let error = await failure { () throws(CarillonError) in try await wrong.serverInformation() }
        #expect(error?.code == .server(.authenticationFailed))
        let missing = client(server)
        let other = await failure { () throws(CarillonError) in try await missing.serverInformation() }
        #expect(other?.code == .server(.authenticationFailed))
        let right = client(server, key: "secret")
        #expect(try await right.serverInformation().principal == "tester")
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example ESMTP\r\n"])
    func anotherProtocolFailsAtOnce(greeting: String) async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: nil))
        let client = client(server)
        async let error = failure { () throws(CarillonError) in try await client.connect() }
        let peer = try await server.accept()
        peer.send { $0.raw(Array(greeting.utf8)) }
        #expect(await error?.code == .cannotConnect)
    }

    @Test func garbageEndsTheConnectionAndTheCallIsRepeated() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let found = client.lookup(.id(device.id), app: app)
        let bad = try await server.accept()
        _ = try await bad.request()
        bad.send { $0.raw([UInt8](repeating: 0xFF, count: 64)) }
        let good = try await server.accept()
        good.answer(try await good.request().id, device, to: LookupRequest.self)
        #expect(try await found == device)
    }

    @Test func anUnreachableServerIsReportedWithItsAddress() async throws {
        let server = try await ScriptedServer.start()
        let (port, client) = (server.port, client(server, attempts: 2))
        try await server.stop()
        let error = await failure { () throws(CarillonError) in try await client.ping() }
        #expect(error?.code == .cannotConnect)
        #expect(error?.message.hasPrefix("127.0.0.1:\(port): ") == true)
    }

    @Test func withoutALimitOfAttemptsACallOutlivesManyFailures() async throws {
        let server = try await ScriptedServer.start()
        // Some connections open before they are closed: the lookup can be written on each of them.
        let client = client(server, tries: 100)
        async let found = client.lookup(.id(device.id), app: app)
        for _ in 0..<20 { try await server.accept().close() }
        let peer = try await server.accept()
        peer.answer(try await peer.request().id, device, to: LookupRequest.self)
        #expect(try await found == device)
    }

    @Test func aCallThatEndsWithoutAConnectionSaysThatThereIsNone() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server, timeout: .milliseconds(100))
        try await server.stop()
        // On a busy machine the time of a call can be over before the first attempt to connect has failed.
        var error: CarillonError?
        repeat {
            error = await failure { () throws(CarillonError) in try await client.register(registration) }
        } while error?.code == .noAnswer
        #expect(error?.code == .cannotConnect)
        #expect(error?.effect == .notExecuted)
    }

    @Test func aServerThatComesUpLateIsFound() async throws {
        let server = try await ScriptedServer.start()
        let (port, client) = (server.port, client(server))
        try await server.stop()
        async let found = client.lookup(.id(device.id), app: app)
        let late = try await ScriptedServer.start(port: port)
        let peer = try await late.accept()
        peer.answer(try await peer.request().id, device, to: LookupRequest.self)
        #expect(try await found == device)
    }

    @Test func aCallIsRefusedWhenTheQueueIsFull() async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: nil))
        var configuration = scriptedConfiguration(server.port)
        configuration.waitingLimit = 1
        let client = CarillonClient(configuration: configuration)
        let waiting = Task { await failure { () throws(CarillonError) in try await client.ping() } }
        _ = try await server.accept()
        let error = await failure { () throws(CarillonError) in try await client.ping() }
        #expect(error?.code == .overloaded)
        waiting.cancel()
        #expect(await waiting.value?.code == .cancelled)
    }

    @Test func pingsAreAnsweredAndKeepTheirDistance() async throws {
        var behaviour = ScriptedServer.PeerBehaviour()
        behaviour.helloAnswer?.limits.pingIntervalMilliseconds = 10
        let server = try await ScriptedServer.start(behaviour)
        let client = client(server)
        async let (one, two) = (client.ping(), client.ping())
        #expect(try await one > .zero)
        #expect(try await two > .zero)
    }

    @Test func closingWaitsForCallsUnderWay() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let found = client.lookup(.id(device.id), app: app)
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        async let closed: Void = client.close()
        peer.answer(id, device, to: LookupRequest.self)
        #expect(try await found == device)
        await closed
        try await peer.closed()
        let error = await failure { () throws(CarillonError) in try await client.ping() }
        #expect(error?.code == .closed)
    }

    @Test func aClientThatIsForgottenClosesItsConnection() async throws {
        let server = try await ScriptedServer.start()
        var client: CarillonClient? = client(server)
        _ = try await client?.serverInformation()
        let peer = try await server.accept()
        client = nil
        try await peer.closed()
    }

    @Test func outcomesAreFetchedPageByPage() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let outcomes = { () async throws -> [UInt64] in
            var ids: [UInt64] = []
            for try await recipient in client.outcomes(of: MessageID(rawValue: 5), app: app) {
                ids.append(recipient.device?.rawValue ?? 0)
            }
            return ids
        }()
        let peer = try await server.accept()
        let pages: [(cursor: UInt64, next: UInt64, ids: [UInt64])] = [
            (cursor: 0, next: 4, ids: [1, 2]), (cursor: 4, next: 9, ids: []), (cursor: 9, next: 0, ids: [8]),
        ]
        for (cursor, next, ids) in pages {
            let (id, request) = try await peer.request()
            #expect(
                request
                    == AnyRequest(
                        MessageOutcomesRequest(app: app, id: MessageID(rawValue: 5), cursor: cursor, limit: 1_000)))
            let rows = ids.map { RecipientOutcome(device: DeviceID(rawValue: $0), outcome: .delivered) }
            peer.answer(id, RecipientOutcomePage(next: next, recipients: rows), to: MessageOutcomesRequest.self)
        }
        #expect(try await outcomes == [1, 2, 8])
    }

    @Test func waitingForAMessageAsksUntilItIsFinished() async throws {
        let server = try await ScriptedServer.start()
        let client = client(server)
        async let status = client.waitUntilFinished(MessageID(rawValue: 1), app: app)
        let peer = try await server.accept()
        var sending = MessageStatus.finished(total: 3)
        sending.state = .sending
        peer.answer(try await peer.request().id, sending, to: MessageStatusRequest.self)
        peer.answer(try await peer.request().id, MessageStatus.finished(total: 3), to: MessageStatusRequest.self)
        #expect(try await status.state == .finished)
    }
}

extension MessageStatus {
    static func finished(total: UInt64) -> MessageStatus {
        MessageStatus(
            state: .finished,
            acceptedAt: Timestamp(milliseconds: 1),
            finishedAt: Timestamp(milliseconds: 2),
            total: total,
            outcomes: [.delivered: total]
        )
    }
}

extension GoAway {
    fileprivate static func stopping(lastID: UInt64) -> GoAway {
        GoAway(
            lastID: lastID,
            code: .draining,
            graceMilliseconds: 20_000,
            reconnectAfterMilliseconds: 0,
            reason: "stopping"
        )
    }
}
