import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// Messages with a time at which their delivery begins.
struct ScheduleApplierTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    private func scheduled(_ audience: Audience, at: UInt64) -> Change {
        var message = Message.sample(to: audience)
        message.sendAt = timestamp(at)
        return .accept(message, now: timestamp(1_000))
    }

    @Test func `a scheduled message takes its audience when its time comes`() throws {
        let registry = try scratch.open()
        #expect(try registry.apply([.register(1), scheduled(.topic("level5"), at: 5_000)]).count == 2)
        let state = try registry.status(of: first, app: game)?.state
        #expect(state == .scheduled)
        #expect(try registry.nextScheduled() == timestamp(5_000))
        #expect(try registry.unfinished() == [])
        try registry.apply(.register(2, topics: ["level5"]))
        #expect(try registry.apply(.releaseScheduled(now: timestamp(4_999))) == .released([], next: timestamp(5_000)))
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: timestamp(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect(entries.map(\.id) == [first])
        #expect(entries.map(\.sendableSince) == [timestamp(5_000)])
        #expect(try registry.nextPage(of: first, from: 0)?.recipients.map(\.device) == [deviceID(2)])
        #expect(try registry.status(of: first, app: game)?.sendAt == timestamp(5_000))
        #expect(try registry.verify() == [])
    }

    @Test func `a scheduled message without recipients finishes when its time comes`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), scheduled(.topic("empty"), at: 5_000)])
        #expect(try registry.apply(.releaseScheduled(now: timestamp(6_000))) == .released([], next: nil))
        #expect(try registry.status(of: first, app: game)?.state == .finished)
        #expect(try registry.verify() == [])
    }

    @Test func `a listed device is judged when the time comes`() throws {
        let registry = try scratch.open()
        var message = Message.sample(to: [.id(deviceID(1)), .id(deviceID(2))])
        message.sendAt = timestamp(5_000)
        try registry.apply([.register(1), .register(2), .accept(message, now: timestamp(1_000)), .unregister(1)])
        try registry.apply(.releaseScheduled(now: timestamp(5_000)))
        #expect(try registry.nextPage(of: first, from: 0)?.recipients.map(\.finalOutcome) == [.unregistered, nil])
    }

    @Test func `releases are bounded`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        try registry.apply((0..<1_000).map { _ in scheduled(.all, at: 2_000) })
        try registry.apply(scheduled(.all, at: 2_001))
        guard case .released(let entries, let next) = try registry.apply(.releaseScheduled(now: timestamp(9_000)))
        else {
            Issue.record("not released")
            return
        }
        #expect(entries.count == 1_000)
        #expect(next == timestamp(2_001))
    }

    // MARK: Unreadable rows

    @Test func `an unreadable message does not stop the schedule`() throws {
        try scratch.acceptMessages(3, sendAt: 5_000)
        try scratch.corruptMessage(1)
        let reported = UnreadableReports()
        let registry = try scratch.open { $0.onUnreadable = reported.record }
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: timestamp(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect(entries.map(\.id) == [messageID(2), messageID(3)])
        #expect(reported.take() == ["scheduled message 1: messages: an unknown version"])
        #expect(try registry.apply(.releaseScheduled(now: timestamp(6_000))) == .released([], next: nil))
        #expect(reported.take() == [])
        registry.close()
        // The unreadable message stays in the schedule, for a repair.
        let again = try scratch.open { $0.onUnreadable = reported.record }
        #expect(try again.nextScheduled() == timestamp(5_000))
        #expect(try again.apply(.releaseScheduled(now: timestamp(7_000))) == .released([], next: nil))
        #expect(reported.take().count == 1)
    }

    @Test func `a message whose audience is unreadable does not stop the schedule`() throws {
        let first = try scratch.open()
        try first.apply([.register(1, topics: ["en", "zh"])])
        for condition in ["'en' in topics && 'zh' in topics", "all"] {
            var message = Message.sample(to: .condition(try Condition(condition)))
            message.sendAt = timestamp(5_000)
            try first.apply(.accept(message, now: timestamp(1_000)))
        }
        first.close()
        try scratch.edit { environment, tables in
            try environment.write { transaction in
                let label = ByteWriter.bytes(capacity: 16) { writer in
                    writer.append(AppNumber(1))
                    SetLabel.topic("en").append(to: &writer)
                }
                try transaction.put(([9] as [UInt8]).span, for: label.span, in: tables.sets.database)
            }
        }
        let reported = UnreadableReports()
        let registry = try scratch.open { $0.onUnreadable = reported.record }
        guard case .released(let entries, nil) = try registry.apply(.releaseScheduled(now: timestamp(5_000))) else {
            Issue.record("not released")
            return
        }
        #expect(entries.map(\.id) == [messageID(2)])
        #expect(reported.take().count == 1)
    }
}
