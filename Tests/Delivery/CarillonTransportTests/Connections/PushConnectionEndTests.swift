import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTestKit
import CarillonTransport
import NIOCore
import Testing

/// Streams and connections that end without an answer.
@Suite(.cleansUp) struct PushConnectionEndTests {
    /// Sends ten pushes that wait on the first connection: numbers 2 to 11, streams 3 to 21. The first push, and
    /// pushes on other connections, are answered at once.
    private func senderOfTenWaitingPushes(
        _ source: RecordingSource = RecordingSource(),
        _ adjust: (inout ConnectionMachine.Limits) -> Void = { _ in }
    ) async throws -> (ScriptedAPNs, Sender) {
        let apns = try await ScriptedAPNs { arrival in
            arrival.connection == 1 && arrival.number > 1 ? [] : [.answer(200)]
        }
        let sender = try Sender(to: apns.port, source: source, adjust)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        sender.source.add(devices: 2...11)
        try await apns.watched.wait(until: "ten requests wait") { $0.mostWaiting[1] == 10 }
        return (apns, sender)
    }

    /// Makes the script of a server that gives the first push to a device another reaction than an answer.
    private func answerAllButTheFirstPush(to device: UInt64, with reactions: [ScriptedAPNs.Reaction])
        -> ScriptedAPNs.Script
    {
        let pushes = Watched(0)
        return { arrival in
            guard arrival.device == device else { return [.answer(200)] }
            let number = pushes.change { count in
                count += 1
                return count
            }
            return number == 1 ? reactions : [.answer(200)]
        }
    }

    @Test func `closing awaits the pushes in flight`() async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.number == 1 ? [.answer(200)] : [] }
        let sender = try Sender(to: apns.port)
        sender.source.add(devices: 1...1)
        try await sender.source.allReturned(deliveries: 1)
        sender.source.add(devices: 2...10)
        try await apns.watched.wait(until: "ten requests came") { $0.arrivals.count == 10 }

        let closed = sender.pool.close()
        apns.answer(pushes: 2...10, on: 1)
        try await closed.get()
        #expect(sender.source.watched.now.count(.delivered) == 10)

        sender.source.add(devices: 11...11)
        #expect(try await sender.pool.statistics().get().connections == 0)
        #expect(sender.source.watched.now.ready.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test(arguments: [
        GoAwayCase(last: [.max, 11], givenBack: 5),
        GoAwayCase(last: [.max, 21], givenBack: 0),
        GoAwayCase(last: [11], givenBack: 5),
        GoAwayCase(last: [13, 5], debug: #"{"reason":"Shutdown"}"#, givenBack: 8),
        GoAwayCase(last: [0], givenBack: 10),
        GoAwayCase(last: [1], code: .enhanceYourCalm, debug: "not JSON", givenBack: 10),
        GoAwayCase(last: [1], code: .refusedStream, debug: #"{"reason":17}"#, givenBack: 10),
    ])
    func `GOAWAY gives back only the pushes of later streams`(_ goAway: GoAwayCase) async throws {
        let (apns, sender) = try await senderOfTenWaitingPushes()
        for last in goAway.last { apns.send(1, .goAway(last: last, goAway.code, debug: goAway.debug)) }
        let kept = 10 - goAway.givenBack
        try await sender.source.watched.wait(until: "what was given back went out again") {
            $0.count(.notProcessed) == goAway.givenBack && $0.count(.delivered) == 1 + goAway.givenBack
        }
        apns.answer(pushes: 2..<2 + kept, on: 1)

        let state = try await sender.source.allReturned(deliveries: 11)
        #expect(state.count(.delivered) == 11)
        #expect(state.count(.unknown) == 0)
        try await apns.watched.wait(until: "the connection is gone") { $0.gone >= 1 }
        let again = apns.watched.now.arrivals.filter { $0.connection > 1 }
        #expect(again.count == goAway.givenBack)
        let ids = Dictionary(grouping: apns.watched.now.arrivals, by: \.device)
        #expect(ids.values.allSatisfy { Set($0.map { $0.headers["apns-id"] }).count == 1 })
        try await sender.closeExpectingAllReturned()
    }

    struct GoAwayCase: Sendable, CustomTestStringConvertible {
        /// The `last` of one GOAWAY after the other.
        var last: [Int32]
        var code = HTTP2ErrorCode.noError
        var debug = ""
        /// The number of the ten that were not processed.
        var givenBack: Int

        var testDescription: String { "GOAWAY \(last) \(code) \(debug)" }
    }

    @Test func `a draining connection is given up at its deadline`() async throws {
        let (apns, sender) = try await senderOfTenWaitingPushes(RecordingSource(retries: { $0 == .unknown })) {
            $0.drainTimeoutMilliseconds = 300
        }
        apns.send(1, .goAway(last: 21))

        let state = try await sender.source.allReturned(deliveries: 11)
        #expect(state.count(.unknown) == 10)
        #expect(state.count(.delivered) == 11)
        try await sender.closeExpectingAllReturned()
    }

    @Test(arguments: [
        (HTTP2ErrorCode.refusedStream, Verdict.notProcessed), (.internalError, .unknown), (.cancel, .unknown),
        (.enhanceYourCalm, .unknown), (.protocolError, .unknown), (.noError, .unknown),
        (.init(rawValue: 999), .unknown),
    ])
    func `a reset stream has the verdict of its code`(_ code: HTTP2ErrorCode, _ verdict: Verdict) async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.device == 5 ? [.reset(code)] : [.answer(200)] }
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { _ in false }))
        sender.source.add(devices: 1...10)

        let state = try await sender.source.allReturned(deliveries: 10)
        #expect(state.verdicts[5] == [verdict])
        let reason = code == .refusedStream ? "refused-stream" : "stream-reset-\(code.rawValue)"
        #expect(state.traces[5] == ["+0 \(reason)"])
        #expect(state.count(.delivered) == 9)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a closed socket leaves written requests unknown`() async throws {
        let (apns, sender) = try await senderOfTenWaitingPushes(RecordingSource(retries: { $0 == .unknown }))
        apns.send(1, .close)

        let state = try await sender.source.allReturned(deliveries: 11)
        #expect(state.count(.unknown) == 10)
        #expect(state.traces[11] == ["+0 connection-closed", "+200 "])
        #expect(state.count(.delivered) == 11)
        #expect(apns.watched.now.connectionTimes.count == 2)
        try await sender.closeExpectingAllReturned()
    }

    /// After close_notify no answer can come, although the socket is open still.
    @Test func `the end of TLS is the end of the connection`() async throws {
        let (apns, sender) = try await senderOfTenWaitingPushes(RecordingSource(retries: { $0 == .unknown }))
        apns.send(1, .closeNotify)

        let state = try await sender.source.allReturned(deliveries: 11)
        #expect(state.count(.unknown) == 10)
        #expect(state.count(.delivered) == 11)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `answers before the end of the connection count`() async throws {
        let (apns, sender) = try await senderOfTenWaitingPushes(RecordingSource(retries: { _ in false }))
        let answers = ScriptedAPNs.streams(ofPushes: 2...6).flatMap { stream in
            Frames.headers(200, endsStream: true, stream: stream)
        }
        // Valid answers and the broken frame come in one piece.
        apns.send(1, .raw(answers + Frames.frame(.data, stream: 0, [1, 2, 3])))

        let state = try await sender.source.allReturned(deliveries: 11)
        #expect(state.count(.delivered) == 6)
        #expect(state.count(.unknown) == 5)
        try await sender.closeExpectingAllReturned()
    }

    /// The request never gets a whole body through the window, and is answered all the same.
    @Test func `an early answer counts at once`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.streamWindow = 100
        let apns = try await ScriptedAPNs(greeting) { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { _ in false }))
        sender.source.add(devices: 1...1, payloadBytes: 64)
        try await sender.source.allReturned(deliveries: 1)
        apns.send(1, .streamWindow(0))
        try await apns.watched.wait(until: "the window is known") { $0.acknowledged == 2 }
        sender.source.add(devices: 2...2, payloadBytes: 64)
        try await apns.watched.wait(until: "the second is on its way") { $0.opened == 2 }
        apns.send(1, .raw(Frames.headers(400, endsStream: true, stream: 3)))

        let state = try await sender.source.allReturned(deliveries: 2)
        #expect(state.verdicts[2] == [.tryLater(.serverBusy, afterMilliseconds: nil)])
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a push without an answer is unknown, and frees its slot`() async throws {
        var greeting = ScriptedAPNs.Greeting()
        greeting.maxStreams = 1
        let apns = try await ScriptedAPNs(greeting, script: answerAllButTheFirstPush(to: 2, with: []))
        // A machine that is busy for a second lets other pushes run out of time too.
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { $0 == .unknown })) {
            $0.answerTimeoutMilliseconds = 1_000
        }
        sender.source.add(devices: 1...3)

        let state = try await sender.source.allReturned(deliveries: 3)
        #expect(state.verdicts[2]?.first == .unknown)
        #expect(state.traces[2]?.first == "+0 timeout")
        #expect(state.count(.delivered) == 3)
        let unanswered = try #require(apns.watched.now.arrivals.first { $0.device == 2 }).stream
        #expect(apns.watched.now.cancelled.contains(unanswered))
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a late answer is ignored`() async throws {
        let apns = try await ScriptedAPNs(script: answerAllButTheFirstPush(to: 2, with: []))
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { $0 == .unknown })) {
            $0.answerTimeoutMilliseconds = 1_000
        }
        sender.source.add(devices: 1...2)
        let before = try await sender.source.allReturned(deliveries: 2)
        #expect(before.verdicts[2]?.first == .unknown)
        #expect(before.verdicts[2]?.last == .delivered)
        let late = try #require(apns.watched.now.arrivals.first { $0.device == 2 }).stream
        try await apns.watched.wait(until: "the stream is cancelled") { $0.cancelled.contains(late) }

        apns.send(1, .raw(Frames.headers(200, endsStream: true, stream: late)))
        sender.source.add(devices: 3...3)
        let state = try await sender.source.allReturned(deliveries: 3)
        #expect(state.verdicts[2] == before.verdicts[2])
        #expect(state.verdicts[3]?.last == .delivered)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test func `a peer that does not answer ping is given up`() async throws {
        let apns = try await ScriptedAPNs(script: answerAllButTheFirstPush(to: 2, with: [.freeze]))
        let sender = try Sender(to: apns.port, source: RecordingSource(retries: { $0 == .unknown })) { limits in
            limits.silenceMilliseconds = 500
            limits.pingTimeoutMilliseconds = 500
        }
        sender.source.add(devices: 1...2)

        let state = try await sender.source.allReturned(deliveries: 2)
        #expect(state.traces[2]?.first == "+0 connection-closed")
        #expect(state.verdicts[1]?.last == .delivered)
        #expect(state.verdicts[2]?.last == .delivered)
        let connections = apns.watched.now.arrivals.filter { $0.device == 2 }.map(\.connection)
        #expect(connections.count { $0 == connections[0] } == 1)
        try await sender.closeExpectingAllReturned()
    }

    @Test(
        arguments: [
            (.reset(.refusedStream), true), (.reset(.refusedStream), false), (.reset(.internalError), true),
            (.reset(.cancel), false), (.answer(503), true), (.answer(503), false),
        ] as [(ScriptedAPNs.Reaction, Bool)])
    func `a peer that refuses every push is tried after growing delays`(
        _ reaction: ScriptedAPNs.Reaction, usesToken: Bool
    )
        async throws
    {
        let apns = try await ScriptedAPNs { _ in [reaction] }
        let sender = try Sender(to: apns.port, usesToken: usesToken) { $0.streams = 50 }
        sender.source.add(devices: 1...2_000)
        let state = try await apns.watched.wait(until: "it has been tried four times") { $0.connectionTimes.count == 4 }
        // The delay doubles: 40, 80 and 160 ms. Half of it is fixed; 1 ms less is the clock's rounding.
        let minimumDelaysMilliseconds: [Int64] = [40 / 2 - 1, 80 / 2 - 1, 160 / 2 - 1]
        let pairs = zip(state.connectionTimes, state.connectionTimes.dropFirst())
        for ((earlier, later), minimum) in zip(pairs, minimumDelaysMilliseconds) {
            #expect(later - earlier >= .milliseconds(minimum))
        }
        // A connection ends after 20 refusals in a row; 50 other pushes, one a stream, may be in flight by then.
        #expect(state.arrivals.count <= state.connectionTimes.count * (20 + 50))
        try await sender.closeExpectingAllReturned()
    }

    /// A bundle id was added to the credential: the connections of before do not know it.
    @Test func `a renewed pool has other connections and loses nothing`() async throws {
        let apns = try await ScriptedAPNs { arrival in arrival.number == 2 ? [] : [.answer(200)] }
        var upkeep = ConnectionUpkeep.Limits()
        upkeep.intervalMilliseconds = 10
        let sender = try Sender(to: apns.port, upkeep: upkeep)
        sender.source.add(devices: 1...2)
        try await apns.watched.wait(until: "two pushes came") { $0.arrivals.count == 2 }
        sender.pool.replaceConnectionsOneByOne()
        // What is in flight is awaited on the old connection; what comes meanwhile goes to a new one.
        try await sender.statistics(when: { $0.draining == 1 })
        sender.source.add(devices: 3...3)
        try await apns.watched.wait(until: "the new connection is used") { $0.arrivals(on: 2).count == 1 }
        let draining = try await sender.pool.statistics().get()
        // The answer to the third may be on its way still.
        #expect(draining.connections == 1)
        #expect(draining.draining == 1)
        #expect((1...2).contains(draining.inFlight))
        apns.answer(pushes: [2], on: 1)
        let state = try await sender.source.allReturned(deliveries: 3)
        #expect(state.verdicts == [1: [.delivered], 2: [.delivered], 3: [.delivered]])
        try await apns.watched.wait(until: "the old connection is gone") { $0.gone == 1 }
        #expect(apns.watched.now.arrivals(on: 1).count == 2)
        try await sender.closeExpectingAllReturned()
        let closed = sender.source.watched.now
        #expect([closed.openedCount, closed.closedCount] == [2, 2])
    }

    @Test func `an answered ping keeps an idle connection`() async throws {
        let apns = try await ScriptedAPNs { _ in [.answer(200)] }
        let sender = try Sender(to: apns.port) { $0.idleMilliseconds = 1 }
        sender.source.add(devices: 1...1)
        try await apns.watched.wait(until: "two PINGs came") { $0.pings == 2 }
        sender.source.add(devices: 2...2)
        try await sender.source.allReturned(deliveries: 2)
        #expect(apns.watched.now.connectionTimes.count == 1)
        try await sender.closeExpectingAllReturned()
    }

    /// A pool that waited for the end of a connection would hang, and run into the time limit.
    @Test(.timeLimit(.minutes(1))) func `closing without connections is done at once`() async throws {
        let sender = try Sender(to: 1)
        try await sender.closeExpectingAllReturned()
    }
}
