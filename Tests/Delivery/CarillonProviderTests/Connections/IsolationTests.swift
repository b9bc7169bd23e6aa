import CarillonCore
import CarillonProvider
import Testing

/// A push under which connections end is isolated.
struct IsolationTests {
    private static let content = MessageContent(
        app: AppID("com.example.game")!, pushType: .alert, payload: Array("{}".utf8))

    private static let message = OutboundMessage.Shared(
        OutboundMessage(
            id: MessageID(rawValue: 1), content: Self.content, sendableSince: .zero, notAfter: nil, lane: .bulk))

    private func pushes(_ devices: some Sequence<Int>) -> [Delivery] {
        devices.map { number in
            let device = DeviceID(rawValue: UInt64(number))
            var page = RecipientPage.Builder()
            page.append(.init(position: 0, device: device, environment: .production), token: [1])
            return Delivery(
                message: Self.message, page: page.page(0, of: Self.message.id), index: 0, device: device, handedOutAt: 0
            )
        }
    }

    private func devices(_ deliveries: [Delivery]) -> [Int] { deliveries.map { Int($0.device.rawValue) } }

    /// Returns the devices that a connection of the main group still sends to, out of `devices`.
    private func remaining(_ isolation: inout Isolation, _ devices: ClosedRange<Int>, at now: Uptime = 0) -> [Int] {
        var deliveries = pushes(devices)
        let hasDiverted = isolation.divert(&deliveries, at: now)
        #expect(hasDiverted == (deliveries.count < devices.count))
        return self.devices(deliveries)
    }

    private func dequeued(_ isolation: inout Isolation, _ limit: Int = 100, at now: Uptime = 0) -> [Int] {
        let (next, overdue) = isolation.dequeue(limit, at: now)
        #expect(overdue.isEmpty)
        return devices(next)
    }

    private func end(
        _ isolation: inout Isolation, under devices: some Sequence<Int>, times: Int = 1, at now: Uptime = 0
    ) {
        for _ in 0..<times { isolation.connectionEnded(unanswered: pushes(devices).map(\.attempt), at: now) }
    }

    private func answer(_ devices: [Int], as verdict: Verdict = .delivered, in isolation: inout Isolation) {
        isolation.pushesAnswered(pushes(devices).map { AttemptResult($0.attempt, verdict: verdict) })
    }

    @Test func `a harmful push among forty ends at most two isolated connections`() {
        var isolation = Isolation()
        end(&isolation, under: 1...40)
        #expect(remaining(&isolation, 1...40) == Array(1...40), "one end is no reason for suspicion")
        end(&isolation, under: 1...40)
        #expect(remaining(&isolation, 1...40).isEmpty)

        let harmful = 19
        var connections = 0
        var carriedBesides: [Int] = []
        var delivered: Set<Int> = []
        while delivered.count < 39 {
            let group = dequeued(&isolation)
            #expect((1...8).contains(group.count))
            isolation.isolatedPushesReturned(group.count)
            if group.contains(harmful) {
                connections += 1
                carriedBesides += group.filter { $0 != harmful }
                end(&isolation, under: group)
                // They are retried, and so come to the main group again.
                for device in group { #expect(remaining(&isolation, device...device).isEmpty) }
            } else {
                answer(group, in: &isolation)
                delivered.formUnion(group)
            }
        }
        #expect(connections <= 2, "with others, and alone if it was sent before the last of the others")
        #expect(carriedBesides.count == 7)
        #expect(delivered == Set(1...40).subtracting([harmful]))
    }

    @Test func `an isolated push waits until no other is in flight`() {
        var isolation = Isolation()
        end(&isolation, under: 1...2, times: 3)
        end(&isolation, under: 3...4, times: 2)
        #expect(remaining(&isolation, 1...4).isEmpty)
        let first = [dequeued(&isolation), dequeued(&isolation)]
        #expect(first == [[3, 4], []], "those that may be sent together go first")
        isolation.isolatedPushesReturned(1)
        #expect(dequeued(&isolation) == [], "one is still in flight")
        isolation.isolatedPushesReturned(1)
        let second = [dequeued(&isolation), dequeued(&isolation)]
        #expect(second == [[1], []])
        end(&isolation, under: 5...5, times: 2)
        #expect(remaining(&isolation, 5...5).isEmpty)
        #expect(dequeued(&isolation) == [], "no other joins it")
        isolation.isolatedPushesReturned(1)
        let third = [dequeued(&isolation, 0), dequeued(&isolation)]
        #expect(third == [[], [5]])
        isolation.isolatedPushesReturned(1)
        #expect(dequeued(&isolation) == [2])
    }

    @Test(
        arguments: [
            (.delivered, true), (.refused(.badToken, deadSince: nil), true),
            (.tryLater(.serverBusy, afterMilliseconds: nil), true), (.notProcessed, false), (.unknown, false),
            (.credentialRefused, false),
        ] as [(Verdict, Bool)])
    func `an answer to a push clears it of suspicion`(_ verdict: Verdict, _ isCleared: Bool) {
        var isolation = Isolation()
        end(&isolation, under: 1...1, times: 2)
        answer([1], as: verdict, in: &isolation)
        #expect(isolation.isIdle == isCleared)
        #expect(remaining(&isolation, 1...1) == (isCleared ? [1] : []))
    }

    @Test func `devices of two apps may have the same number`() throws {
        var isolation = Isolation()
        end(&isolation, under: 1...1, times: 2)
        var content = Self.content
        content.app = try #require(AppID("com.example.chat"))
        let message = OutboundMessage.Shared(
            OutboundMessage(
                id: MessageID(rawValue: 2), content: content, sendableSince: .zero, notAfter: nil, lane: .bulk))
        var other = pushes(1...1).map {
            Delivery(message: message, page: $0.page, index: 0, device: $0.device, handedOutAt: 0)
        }
        #expect(!isolation.divert(&other, at: 0))
    }

    @Test func `a push that waits too long is given back`() {
        var isolation = Isolation()
        end(&isolation, under: 1...3, times: 2)
        end(&isolation, under: 2...2)
        #expect(remaining(&isolation, 1...2, at: 1_000).isEmpty)
        #expect(remaining(&isolation, 3...3, at: 1_001).isEmpty)
        #expect(isolation.removeOverdue(at: 2_999).isEmpty)
        #expect(devices(isolation.removeOverdue(at: 3_000)) == [1, 2])
        #expect(isolation.hasWaiting)
        #expect(dequeued(&isolation) == [3])
        #expect(!isolation.hasWaiting)
    }

    @Test func `a push that is dequeued late is given back and not sent`() {
        var isolation = Isolation()
        end(&isolation, under: 1...4, times: 2)
        end(&isolation, under: 1...1)
        #expect(remaining(&isolation, 1...2, at: 1_000).isEmpty)
        #expect(remaining(&isolation, 3...3, at: 1_200).isEmpty)
        let early = isolation.dequeue(0, at: 1_300)
        #expect(early.overdue.isEmpty)
        let (next, overdue) = isolation.dequeue(8, at: 1_300)
        #expect(devices(overdue) == [2, 1])
        #expect(devices(next) == [3])
        // When the push is pulled again, it is sent.
        #expect(remaining(&isolation, 2...2, at: 1_310).isEmpty)
        #expect(dequeued(&isolation, at: 1_311) == [2])
    }

    @Test func `a closed isolation keeps no push`() {
        var isolation = Isolation()
        end(&isolation, under: 1...2, times: 2)
        #expect(remaining(&isolation, 1...1).isEmpty)
        #expect(devices(isolation.close()) == [1])
        #expect(remaining(&isolation, 1...2) == [1, 2])
        #expect(!isolation.hasWaiting)
    }

    @Test func `suspects and isolated pushes are bounded`() {
        var limits = Isolation.Limits()
        limits.rememberedDevices = 100
        limits.waitingPushes = 10
        var isolation = Isolation(limits: limits)
        end(&isolation, under: 1...20, times: 2)
        #expect(remaining(&isolation, 1...20) == Array(11...20), "ten may wait")
        end(&isolation, under: 100...300, times: 2)
        _ = isolation.close()
        isolation = Isolation(limits: limits)
        end(&isolation, under: 1...1, times: 2)
        end(&isolation, under: 100...400)
        #expect(remaining(&isolation, 1...1) == [1], "it has been forgotten for the sake of others")
    }

    @Test func `a push is no longer suspect long after the last connection end`() {
        var isolation = Isolation()
        end(&isolation, under: 1...1, at: 0)
        end(&isolation, under: 1...1, at: 600_000)
        #expect(remaining(&isolation, 1...1, at: 1_100_000).isEmpty)
        _ = dequeued(&isolation)
        isolation.isolatedPushesReturned(1)
        #expect(remaining(&isolation, 1...1, at: 1_200_000) == [])
        _ = dequeued(&isolation)
        isolation.isolatedPushesReturned(1)
        #expect(remaining(&isolation, 1...1, at: 1_800_000) == [1])
        #expect(isolation.isIdle)
    }
}
