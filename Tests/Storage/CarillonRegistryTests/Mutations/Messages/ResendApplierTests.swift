import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// RESEND (Protocol 10.7): a message that is sent again to some of its devices.
struct ResendApplierTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    @Test func `a resend goes to the devices that failed`() throws {
        let registry = try scratch.open()
        try registry.apply((1...4).map { Change.register($0) })
        try registry.apply(.accept(.sample(to: (1...4).map { byToken($0) }), now: timestamp(1_000)))
        let again = Change.resend(
            ResendRequest(app: game, id: first, idempotencyKey: UUIDBytes(high: 1, low: 1)), now: timestamp(3_000))
        #expect(try registry.apply(again) == .refused(.unfinished))
        try registry.apply(
            .recordOutcomes(of: 1, [(0, .delivered), (1, .gaveUp), (2, .tokenUnregistered), (3, .expired)]))
        guard case .accepted(let acceptance, let entry?) = try registry.apply(again) else {
            Issue.record("not accepted")
            return
        }
        #expect(acceptance == SendResult(id: messageID(2), isDuplicate: false, total: 2, ended: 0))
        #expect(entry.id == acceptance.id)
        #expect(
            try registry.nextPage(of: acceptance.id, from: 0)?.recipients.map(\.device) == [deviceID(2), deviceID(4)])
        var repeated = acceptance
        repeated.isDuplicate = true
        #expect(try registry.apply(again) == .accepted(repeated, outbound: nil))
        let other = Change.resend(
            ResendRequest(app: game, id: first, idempotencyKey: UUIDBytes(high: 1, low: 1), outcomes: [.expired]),
            now: timestamp(3_000)
        )
        #expect(try registry.apply(other) == .refused(.idempotencyConflict))
        #expect(try registry.verify() == [])
    }

    /// Opens a registry with a message after whose time 5,000 nothing is sent, and that has reached no device.
    private func openWithLateMessage() throws -> LMDBRegistry {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        var sent = Message.sample(to: [byToken(1)])
        sent.notAfter = timestamp(5_000)
        try registry.apply(.accept(sent, now: timestamp(1_000)))
        try registry.apply(.recordOutcomes(of: 1, [(0, .gaveUp)]))
        return registry
    }

    /// Makes the resend of that message, with another time after which nothing is sent if it is not nil.
    private func resend(_ notAfter: Timestamp?, at now: UInt64, key: UInt64 = 0) -> Change {
        .resend(
            ResendRequest(
                app: game, id: first, idempotencyKey: UUIDBytes(high: 0, low: key).nonzero, notAfter: notAfter),
            now: timestamp(now)
        )
    }

    @Test func `notAfter holds for a resend too`() throws {
        let registry = try openWithLateMessage()
        guard case .accepted(_, let inTime?) = try registry.apply(resend(nil, at: 5_000)) else {
            Issue.record("not accepted")
            return
        }
        #expect(inTime.notAfter == timestamp(5_000))
        #expect(try registry.verify() == [])
    }

    @Test func `a resend after that time needs a later one`() throws {
        let registry = try openWithLateMessage()
        #expect(try registry.apply(resend(nil, at: 5_001)) == .refused(.outOfTime))
        #expect(try registry.apply(resend(timestamp(5_000), at: 5_001)) == .refused(.outOfTime))
        guard case .accepted(_, let later?) = try registry.apply(resend(timestamp(9_000), at: 6_000)) else {
            Issue.record("not accepted")
            return
        }
        #expect(later.notAfter == timestamp(9_000))
        #expect(try registry.verify() == [])
    }

    @Test func `a repeated resend gets the first answer though the time is past`() throws {
        let registry = try openWithLateMessage()
        guard case .accepted(_, let inTime?) = try registry.apply(resend(nil, at: 5_000, key: 1)),
            case .accepted(let repeated, nil) = try registry.apply(resend(nil, at: 7_000, key: 1))
        else {
            Issue.record("not accepted")
            return
        }
        #expect(repeated.isDuplicate)
        #expect(repeated.id == inTime.id)
    }

    @Test func `a resend with another time is another body of its key`() throws {
        let registry = try openWithLateMessage()
        try registry.apply(resend(timestamp(9_000), at: 6_000, key: 2))
        #expect(try registry.apply(resend(timestamp(9_001), at: 7_000, key: 2)) == .refused(.idempotencyConflict))
    }

    @Test func `a live message is resent to a list of many pages`() throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<9_001)
        try registry.accept(.sample(to: .all))
        try registry.endAllPages(of: first, as: .gaveUp)
        try registry.apply(.finish(first, now: timestamp(2_000)))
        let again = Change.resend(ResendRequest(app: game, id: first, outcomes: [.gaveUp]), now: timestamp(3_000))
        guard case .accepted(let acceptance, _) = try registry.apply(again) else {
            Issue.record("not accepted")
            return
        }
        #expect(acceptance.total == 9_000)
        #expect(try registry.nextPage(of: acceptance.id, from: 2)?.recipients.count == 9_000 - 2 * 4_096)
        #expect(try registry.verify() == [])
    }

    @Test func `a resent message has the label of the old one and the sender of the resend`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .accept(.labelled("Raid"), sender: "live-ops", now: timestamp(1_000)),
            .recordOutcomes(of: 1, [(0, .gaveUp)]),
            .resend(ResendRequest(app: game, id: first), sender: "operator", now: timestamp(3_000)),
        ])
        #expect(try registry.status(of: messageID(2), app: game)?.label == "Raid")
        #expect(try registry.status(of: messageID(2), app: game)?.sender == "operator")
        #expect(try registry.status(of: messageID(1), app: game)?.sender == "live-ops")
    }
}
