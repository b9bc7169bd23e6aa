import CarillonCore
import CarillonRegistry
import Synchronization
import Testing

/// Message updates, schedules and resends, their events, and the counts of devices.
struct RegistryMessageUpdateTests {
    private let scratch = RegistryDirectory()
    private let first = MessageID(rawValue: 1)

    private func updateMessage(_ messageUpdate: MessageUpdate, now: UInt64 = 2_000) -> Change {
        .updateMessage(UpdateMessageRequest(app: game, id: first, messageUpdate: messageUpdate), now: time(now))
    }

    private func scheduled(_ audience: Audience, at: UInt64) -> Change {
        var message = message(toAll: audience)
        message.sendAt = time(at)
        return .accept(message, now: time(1_000))
    }

    private func events(_ registry: LMDBRegistry, after: UInt64 = 0) throws -> [Event] {
        try registry.events(after: after, limit: 1_000, filter: EventFilter()).events
    }

    // MARK: Schedule

    @Test func aScheduledMessageTakesItsAudienceWhenItsTimeComes() throws {
        let registry = try scratch.open()
        #expect(try registry.apply([register(1), scheduled(.topic(topic("level5")), at: 5_000)]).count == 2)
        let state = try registry.status(of: first, app: game)?.state
        #expect((state, try registry.nextScheduled(), try registry.unfinished()) == (.scheduled, time(5_000), []))
        _ = try registry.apply(register(2, topics: ["level5"]))
        #expect(try registry.apply(.releaseScheduled(now: time(4_999))) == .released([], next: time(5_000)))
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: time(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect((entries.map(\.id), entries.map(\.sendableSince)) == ([first], [time(5_000)]))
        #expect(try registry.nextPage(of: first, from: 0)?.recipients.map(\.device) == [id(2)])
        #expect(try registry.status(of: first, app: game)?.sendAt == time(5_000))
        #expect(try registry.verify() == [])
    }

    @Test func aScheduledMessageWithoutRecipientsFinishesWhenItsTimeComes() throws {
        let registry = try scratch.open()
        _ = try registry.apply([register(1), scheduled(.topic(topic("empty")), at: 5_000)])
        #expect(try registry.apply(.releaseScheduled(now: time(6_000))) == .released([], next: nil))
        #expect(try registry.status(of: first, app: game)?.state == .finished)
        #expect(try registry.verify() == [])
    }

    @Test func aListedDeviceIsJudgedWhenTheTimeComes() throws {
        let registry = try scratch.open()
        var message = message(to: [.id(id(1)), .id(id(2))])
        message.sendAt = time(5_000)
        _ = try registry.apply([register(1), register(2), .accept(message, now: time(1_000)), unregister(1)])
        _ = try registry.apply(.releaseScheduled(now: time(5_000)))
        #expect(try registry.nextPage(of: first, from: 0)?.recipients.map(\.ending) == [.unregistered, nil])
    }

    @Test func releasesAreBounded() throws {
        let registry = try scratch.open()
        _ = try registry.apply(register(1))
        _ = try registry.apply((0..<1_000).map { _ in scheduled(.all, at: 2_000) })
        _ = try registry.apply(scheduled(.all, at: 2_001))
        guard case .released(let entries, let next) = try registry.apply(.releaseScheduled(now: time(9_000))) else {
            return #expect(Bool(false), "not released")
        }
        #expect(entries.count == 1_000)
        #expect(next == time(2_001))
    }

    // MARK: MessageUpdate

    @Test func steeringSurvivesARestart() throws {
        var registry = try scratch.open()
        _ = try registry.apply([register(1), .accept(message(toAll: .all), now: time(1_000))])
        let answers = try [updateMessage(.pace(5)), updateMessage(.pause)].map { try registry.apply($0) }
        #expect(answers == [.messageUpdated(.waiting, nil), .messageUpdated(.paused, nil)])
        #expect(try registry.unfinished() == [])
        registry.close()
        registry = try scratch.open()
        #expect(try registry.status(of: first, app: game)?.state == .paused)
        guard case .messageUpdated(.waiting, let resumed?) = try registry.apply(updateMessage(.resume)) else {
            Issue.record("not resumed")
            return
        }
        #expect(resumed.pace == 5)
        guard case .messageUpdated(.waiting, let cancelled?) = try registry.apply(updateMessage(.cancel)) else {
            Issue.record("not cancelled")
            return
        }
        #expect(cancelled.isCancelled)
        registry.close()
        registry = try scratch.open()
        #expect(try registry.unfinished() == [cancelled])
        let reported = try events(registry).filter { $0.kind == .messageUpdated }
        #expect(reported.map(\.text) == ["paced", "paused", "resumed", "cancelled"])
        #expect(try registry.verify() == [])
    }

    @Test func whatIsFinishedOrUnknownIsNotSteered() throws {
        let registry = try scratch.open()
        #expect(try registry.apply(updateMessage(.cancel)) == .refused(.notFound))
        _ = try registry.apply([register(1), .accept(message(to: [token(1)]), now: time(1_000))])
        _ = try registry.apply(record(1, [(0, .delivered)]))
        #expect(try registry.apply(updateMessage(.cancel)) == .messageUpdated(.finished, nil))
    }

    @Test func aPausedMessageTakesTheAnswersThatAreOutstanding() throws {
        let registry = try scratch.open()
        _ = try registry.apply([register(1), .accept(message(to: [token(1)]), now: time(1_000)), updateMessage(.pause)])
        #expect(try registry.apply(record(1, [(0, .delivered)])) == .recorded(isFinished: true))
        #expect(try registry.verify() == [])
    }

    // MARK: Resend

    @Test func aResendGoesToTheDevicesThatFailed() throws {
        let registry = try scratch.open()
        _ = try registry.apply((1...4).map { register($0) })
        _ = try registry.apply(.accept(message(to: (1...4).map { token($0) }), now: time(1_000)))
        let again = Change.resend(
            ResendRequest(app: game, id: first, idempotencyKey: UUIDBytes(high: 1, low: 1)), now: time(3_000))
        #expect(try registry.apply(again) == .refused(.unfinished))
        _ = try registry.apply(
            record(1, [(0, .delivered), (1, .gaveUp), (2, .tokenUnregistered), (3, .expired)]))
        guard case .accepted(let acceptance, let entry?) = try registry.apply(again) else {
            return #expect(Bool(false), "not accepted")
        }
        #expect(acceptance == Acceptance(id: MessageID(rawValue: 2), isDuplicate: false, total: 2, ended: 0))
        #expect(entry.id == acceptance.id)
        #expect(try registry.nextPage(of: acceptance.id, from: 0)?.recipients.map(\.device) == [id(2), id(4)])
        var repeated = acceptance
        repeated.isDuplicate = true
        #expect(try registry.apply(again) == .accepted(repeated, nil))
        let other = Change.resend(
            ResendRequest(app: game, id: first, idempotencyKey: UUIDBytes(high: 1, low: 1), outcomes: [.expired]),
            now: time(3_000)
        )
        #expect(try registry.apply(other) == .refused(.idempotencyConflict))
        #expect(try registry.verify() == [])
    }

    @Test func theTimeAfterWhichNothingIsSentHoldsForAResendToo() throws {
        let registry = try scratch.open()
        _ = try registry.apply(register(1))
        var sent = message(to: [token(1)])
        sent.notAfter = time(5_000)
        _ = try registry.apply(.accept(sent, now: time(1_000)))
        _ = try registry.apply(record(1, [(0, .gaveUp)]))
        func again(_ notAfter: Timestamp?, at now: UInt64, key: UInt64 = 0) -> Change {
            .resend(
                ResendRequest(
                    app: game, id: first, idempotencyKey: UUIDBytes(high: 0, low: key).nonzero, notAfter: notAfter),
                now: time(now)
            )
        }
        guard case .accepted(_, let inTime?) = try registry.apply(again(nil, at: 5_000, key: 1)) else {
            Issue.record("not accepted")
            return
        }
        #expect(inTime.notAfter == time(5_000))
        #expect(try registry.apply(again(nil, at: 5_001)) == .refused(.outOfTime))
        #expect(try registry.apply(again(time(5_000), at: 5_001)) == .refused(.outOfTime))
        guard case .accepted(_, let later?) = try registry.apply(again(time(9_000), at: 6_000, key: 2)) else {
            Issue.record("not accepted")
            return
        }
        #expect(later.notAfter == time(9_000))
        // The first answer again, though the time is past by now; and another time is another body.
        guard case .accepted(let repeated, nil) = try registry.apply(again(nil, at: 7_000, key: 1)) else {
            Issue.record("not accepted")
            return
        }
        #expect(repeated.isDuplicate)
        #expect(repeated.id == inTime.id)
        #expect(try registry.apply(again(time(9_001), at: 7_000, key: 2)) == .refused(.idempotencyConflict))
        #expect(try registry.verify() == [])
    }

    @Test func aLiveMessageIsResentToAListOfManyPages() throws {
        let registry = try scratch.open()
        for start in stride(from: UInt64(0), to: 9_000, by: 1_000) {
            _ = try registry.apply(
                (start..<start + 1_000).map { number in
                    let token = DeviceToken((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })!
                    let address = DeviceAddress(environment: .production, kind: .device, token: token)
                    return .register(Registration(app: game, address: address), now: time(1_000))
                })
        }
        _ = try registry.apply(.accept(message(toAll: .all), now: time(1_000)))
        var from: UInt32 = 0
        while let page = try registry.nextPage(of: first, from: from) {
            let entries = page.recipients.map { OutcomeRecord.Entry(position: $0.position, outcome: .gaveUp) }
            let record = OutcomeRecord(
                message: first, page: page.number, entries: entries, addressed: page.addressed)
            _ = try registry.apply(.recordOutcomes(record, now: time(2_000)))
            from = page.number + 1
        }
        _ = try registry.apply(.finish(first, now: time(2_000)))
        // More than 64 at once are reported as one.
        let reported = try events(registry).filter { $0.kind == .deliveryFailed }
        #expect(reported.map(\.count) == [4_095, 4_096, 809])
        let again = Change.resend(ResendRequest(app: game, id: first, outcomes: [.gaveUp]), now: time(3_000))
        guard case .accepted(let acceptance, _) = try registry.apply(again) else {
            return #expect(Bool(false), "not accepted")
        }
        #expect(acceptance.total == 9_000)
        #expect(try registry.nextPage(of: acceptance.id, from: 2)?.recipients.count == 9_000 - 2 * 4_096)
        let receipts = [1, 4_096, 4_097, 9_000, 9_001].map {
            Receipt(message: acceptance.id, device: .id(id($0)), kind: .opened)
        }
        #expect(
            try registry.apply(.countReceipts(ReceiptsRequest(app: game, receipts: receipts), now: time(4_000)))
                == .counted(4, unknown: [4]))
        #expect(try registry.verify() == [])
    }

    // MARK: Quarantine

    @Test func aQuarantinedDeviceIsListedRestoredAndDroppedAtLast() throws {
        let registry = try scratch.open { $0.settings?.retention.quarantineMilliseconds = 1_000 }
        _ = try registry.apply([register(1, topics: ["level5"]), register(2)])
        _ = try registry.apply(.accept(message(to: [token(1), token(2)]), now: time(1_000)))
        _ = try registry.apply(record(1, [(0, .tokenUnregistered), (1, .badToken)], deadSince: 1_500))
        let pages = try ([0, 2] as [UInt64]).map { try registry.quarantine(of: game, cursor: $0, limit: 1) }
        #expect(pages == [DevicePage(next: 2, devices: [id(1)]), DevicePage(next: 0, devices: [id(2)])])
        let reported = try events(registry).filter { $0.kind == .deviceQuarantined }
        let told = (reported.map(\.device), reported.map(\.outcome))
        #expect(told == ([id(1), id(2)], [.tokenUnregistered, .badToken]))
        let restored = try [token(1), token(9)].map { device in
            try registry.apply(.restore(RestoreRequest(app: game, device: device), now: time(2_500)))
        }
        #expect(restored == [.updated(id(1)), .refused(.notFound)])
        let members = try registry.devices(in: .topic(topic("level5")), of: game, cursor: 0, limit: 9).devices
        #expect(members == [id(1)])
        #expect(try registry.verify() == [])
        #expect(try (registry.sweep(now: time(3_001)), registry.device(.id(id(2)), of: game)?.id) == (false, nil))
        #expect(try registry.apply(register(2, seenAt: 2_000, now: 4_000)) == .refused(.stale))
        #expect(try registry.verify() == [])
    }

    @Test func aDeviceThatHasRegisteredSinceIsNotMoved() throws {
        let registry = try scratch.open()
        _ = try registry.apply([register(1), .accept(message(to: [token(1)]), now: time(1_000))])
        _ = try registry.apply(register(1, now: 1_500))
        let entry = OutcomeRecord.Entry(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: time(1_000))
        _ = try registry.apply(
            .recordOutcomes(OutcomeRecord(message: first, page: 0, entries: [entry]), now: time(2_000)))
        #expect(try registry.device(token(1), of: game)?.id == id(1))
    }

    private func subscribed(_ device: DeviceReference, in registry: LMDBRegistry) throws -> MembershipChangeResult {
        guard case .membership(let answer) = try registry.apply(subscribe(["level5"], devices: [device])) else {
            Issue.record("refused")
            return MembershipChangeResult()
        }
        return answer
    }

    /// Bulk ingest has the token index cache.
    @Test func aDeviceThatHasMovedHasItsOldAddressNoLonger() throws {
        let registry = try scratch.open { $0.wal = .eager }
        _ = try registry.apply(register(1))
        #expect(try subscribed(token(1), in: registry).device == id(1))
        _ = try registry.apply(.accept(message(to: [token(1)]), now: time(1_000)))
        let entry = OutcomeRecord.Entry(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: time(1_000))
        _ = try registry.apply(
            .recordOutcomes(OutcomeRecord(message: first, page: 0, entries: [entry]), now: time(2_000)))
        var moved = address(1)
        moved.environment = .sandbox
        #expect(try subscribed(token(1), in: registry).unknown == [0])
        #expect(try subscribed(.address(moved), in: registry).device == id(1))
        #expect(try registry.verify() == [])
    }

    /// The move is the first change that needs a set of the app, and the set is a new one.
    @Test func aDeviceMovesAfterARestart() throws {
        var registry = try scratch.open()
        _ = try registry.apply([register(1), .accept(message(to: [token(1)]), now: time(1_000))])
        registry.close()
        registry = try scratch.open()
        let entry = OutcomeRecord.Entry(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: time(1_000))
        let record = OutcomeRecord(message: first, page: 0, entries: [entry])
        #expect(try registry.apply(.recordOutcomes(record, now: time(2_000))) == .recorded(isFinished: true))
        #expect(try registry.device(.id(id(1)), of: game)?.address.environment == .sandbox)
        #expect(try registry.verify() == [])
    }

    // MARK: Silent pushes

    @Test(arguments: [OverBudget.drop, .wait])
    func theFourthSilentPushOfAnHourIsOverBudget(_ overBudget: OverBudget) throws {
        let clock = Mutex<UInt64>(10_000)
        var registry = try LMDBRegistry(path: scratch.path, wallClock: { time(clock.withLock { $0 }) })
        _ = try registry.apply(register(1))
        var message = message(toAll: .all, pushType: .background)
        message.content.overBudget = overBudget
        for number in UInt64(1)...4 {
            _ = try registry.apply(.accept(message, now: time(1_000)))
            let page = try #require(try registry.nextPage(of: MessageID(rawValue: number), from: 0))
            #expect(page.recipients[0].ending == (number == 4 && overBudget == .drop ? .overBudget : nil))
            #expect(page.recipients[0].dueAt == (number == 4 && overBudget == .wait ? time(3_610_001) : .zero))
            guard number < 4 else { break }
            let entry = OutcomeRecord.Entry(position: page.recipients[0].position, outcome: .delivered)
            let record = OutcomeRecord(
                message: page.message, page: page.number, entries: [entry], addressed: page.addressed)
            _ = try registry.apply(.recordOutcomes(record, now: time(10_000 + number)))
        }
        #expect(try registry.verify() == [])
        registry.close()
        clock.withLock { $0 = 3_610_001 }
        registry = try LMDBRegistry(path: scratch.path, wallClock: { time(clock.withLock { $0 }) })
        let page = try #require(try registry.nextPage(of: MessageID(rawValue: 4), from: 0))
        #expect((page.recipients[0].ending, page.recipients[0].dueAt) == (nil, .zero))
        #expect(try !registry.sweep(now: time(9_000_000)))
        #expect(try registry.verify() == [])
    }

    // MARK: Receipts

    @Test func eachDeviceOfAMessageCountsOnce() throws {
        let registry = try scratch.open { $0.settings?.retention.messageMilliseconds = 100 }
        _ = try registry.apply([register(1), register(2), .accept(message(to: [token(1)]), now: time(1_000))])
        let receipts = [
            Receipt(message: first, device: token(1), kind: .received),
            Receipt(message: first, device: .id(id(1)), kind: .received),
            Receipt(message: first, device: token(2), kind: .received),
            Receipt(message: MessageID(rawValue: 9), device: token(1), kind: .received),
            Receipt(message: first, device: token(1), kind: .opened),
        ]
        let count = Change.countReceipts(ReceiptsRequest(app: game, receipts: receipts), now: time(2_000))
        #expect(try registry.apply(count) == .counted(2, unknown: [2, 3]))
        #expect(try registry.apply(count) == .counted(0, unknown: [2, 3]))
        #expect(try registry.status(of: first, app: game)?.received == 1)
        #expect(try registry.status(of: first, app: game)?.opened == 1)
        let page = try registry.receipts(of: first, app: game, kind: .opened, cursor: 0, limit: 9)
        #expect(page == DevicePage(next: 0, devices: [id(1)]))
        _ = try registry.apply(record(1, [(0, .delivered)]))
        #expect(try !registry.sweep(now: time(9_000)))
        #expect(try registry.receipts(of: first, app: game, kind: .opened, cursor: 0, limit: 9) == nil)
        #expect(try registry.verify() == [])
    }

    // MARK: Events

    @Test func eventsAreNumberedPublishedAndTrimmed() throws {
        let newest = Mutex<[UInt64]>([])
        var options = LMDBRegistry.Options()
        options.settings?.maximumEvents = 3
        let registry = try LMDBRegistry(
            path: scratch.path, options: options, onEvents: { number in newest.withLock { $0.append(number) } })
        for number in 1...5 {
            let text = "pool \(number)" + String(repeating: "é", count: 200)
            let event = Event(at: time(1_000), kind: .connectionUp, text: text)
            #expect(try registry.apply(.appendEvent(event)) == .applied)
        }
        _ = try registry.apply(register(1))
        _ = try registry.apply(register(2, replaces: 1))
        let page = try registry.events(after: 1, limit: 2, filter: EventFilter())
        #expect((page.missed, page.events.map(\.sequence), page.hasMore) == (2..<4, [4, 5], true))
        #expect(page.events.allSatisfy { ($0.text?.utf8.count ?? 0) <= 255 })
        let rest = try registry.events(after: page.upTo, limit: 2, filter: EventFilter(apps: [game]))
        #expect(rest.events.map(\.kind) == [.tokenReplaced])
        #expect(!rest.hasMore)
        #expect(try registry.events(after: .max, limit: 2, filter: EventFilter()).upTo == 6)
        #expect(try registry.verify() == [])
        registry.close()
        #expect(newest.withLock { $0 } == [1, 2, 3, 4, 5, 6])
    }

    @Test func oldEventsAndSubscribersGo() throws {
        let registry = try scratch.open()
        let subscriber = EventSubscriber(principal: "shop", name: "mail")
        _ = try registry.apply([
            .appendEvent(Event(at: time(1_000), kind: .connectionUp)),
            .appendEvent(Event(at: time(2_000), kind: .connectionUp)),
        ])
        #expect(try registry.acknowledged(by: subscriber) == nil)
        let answers = try ([99, 1] as [UInt64]).map {
            try registry.apply(.acknowledge(subscriber, upTo: $0, now: time(1_000)))
        }
        #expect(answers == [.applied, .applied])
        #expect(try registry.acknowledged(by: subscriber) == 2)
        #expect(try !registry.sweep(now: time(1_001 + 7 * 86_400_000)))
        let left = try registry.events(after: 0, limit: 9, filter: EventFilter()).events.map(\.sequence)
        #expect((left, try registry.acknowledged(by: subscriber)) == ([2], 2))
        let isUnfinished = try registry.sweep(now: time(1_001 + 30 * 86_400_000))
        #expect((isUnfinished, try registry.acknowledged(by: subscriber)) == (false, nil))
        // Numbers go on although nothing is left.
        _ = try registry.apply(.appendEvent(Event(at: time(1_000), kind: .connectionUp)))
        #expect(try registry.events(after: 2, limit: 9, filter: EventFilter()).events.map(\.sequence) == [3])
        #expect(try registry.verify() == [])
    }

    @Test func eachPrincipalHasAQuotaOfSubscribersWithinTheTotal() throws {
        let registry = try scratch.open()
        func acknowledge(_ principal: String, _ number: Int) -> Change {
            .acknowledge(EventSubscriber(principal: principal, name: "\(number)"), upTo: 0, now: time(1_000))
        }
        _ = try registry.apply((1...100).map { acknowledge("shop", $0) })
        #expect(try registry.apply(acknowledge("shop", 101)) == .refused(.tooMany(.ownSubscribers)))
        #expect(try registry.apply(acknowledge("shop", 100)) == .applied)
        // The names of principals do not run into each other.
        for principal in ["s", "sho", "shop2", "shopp", ""] {
            #expect(try registry.apply(acknowledge(principal, 1)) == .applied)
        }
        for principal in 1...9 { _ = try registry.apply((1...99).map { acknowledge("p\(principal)", $0) }) }
        #expect(try registry.apply((1...4).map { acknowledge("q", $0) }) == Array(repeating: .applied, count: 4))
        #expect(try registry.apply(acknowledge("r", 1)) == .refused(.tooMany(.subscribers)))
        #expect(try registry.apply(acknowledge("q", 4)) == .applied)
    }

    @Test func aForgottenSubscriberMakesRoom() throws {
        let registry = try scratch.open()
        let names = (1...101).map { EventSubscriber(principal: "shop", name: "\($0)") }
        _ = try registry.apply(.appendEvent(Event(at: time(1_000), kind: .connectionUp)))
        _ = try registry.apply(names.prefix(100).map { .acknowledge($0, upTo: 1, now: time(1_000)) })
        let another = Change.acknowledge(names[100], upTo: 1, now: time(1_000))
        #expect(try registry.apply(another) == .refused(.tooMany(.ownSubscribers)))
        #expect(try registry.apply(.forgetSubscriber(names[7])) == .forgotten(wasKnown: true))
        #expect(try registry.apply(.forgetSubscriber(names[7])) == .forgotten(wasKnown: false))
        let other = EventSubscriber(principal: "sho", name: names[8].name)
        #expect(try registry.apply(.forgetSubscriber(other)) == .forgotten(wasKnown: false))
        #expect(try registry.acknowledged(by: names[7]) == nil)
        #expect(try registry.acknowledged(by: names[8]) == 1)
        #expect(try registry.apply(another) == .applied)
        #expect(try registry.verify() == [])
    }

    @Test func failuresMakeEvents() throws {
        let registry = try scratch.open()
        _ = try registry.apply([register(1), .accept(message(to: [token(1), token(2)]), now: time(1_000))])
        _ = try registry.apply(record(1, [(1, .gaveUp)]))
        let reported = try events(registry)
        #expect(reported.map(\.kind) == [.deliveryFailed, .deliveryFailed, .messageFinished])
        #expect(reported.map(\.device) == [nil, id(1), nil])
        #expect(reported.map(\.outcome) == [.unregistered, .gaveUp, nil])
        #expect(reported.last?.count == 2)
        #expect(reported.allSatisfy { $0.app == game && $0.message == first })
    }

    // MARK: Lists

    @Test func messagesOfAnAppAreListedNewestFirst() throws {
        let registry = try scratch.open()
        let other = AppID("com.example.other")!
        var foreign = message(to: [token(1)])
        foreign.content.app = other
        _ = try registry.apply([
            register(1), .accept(message(to: [token(1)]), now: time(1_000)), .accept(foreign, now: time(1_000)),
            .accept(message(toAll: .all), now: time(1_001)),
        ])
        let all = try registry.messages(of: game, before: nil, limit: 9).rows
        #expect(all.map(\.id.rawValue) == [3, 1])
        #expect(all.map(\.total) == [1, 1])
        let older = try registry.messages(of: game, before: MessageID(rawValue: 3), limit: 9)
        #expect(older.rows.map(\.id.rawValue) == [1])
        #expect(try registry.messages(of: other, before: nil, limit: 9).rows.map(\.state) == [.finished])
    }
}
