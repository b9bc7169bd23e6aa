import CarillonClient
import CarillonCore
import Testing

/// Changes during a fan-out, for phones whose page is not read yet.
@Suite(.timeLimit(.minutes(10))) struct RunningSendTests {
    @Test func `a change of a device during a fan-out counts for its push`() async throws {
        let game = try await Game()
        // More devices than the connections to APNs have streams.
        let crowdCount = 4_000
        let crowd = try await game.crowd(crowdCount, in: "crowd")
        let last = Array(crowd.suffix(6))
        let (muted, mutedGroup, left, unregistered, chinese, replaced) =
            (last[0], last[1], last[2], last[3], last[4], last[5])
        let deliveredCount = crowdCount - [muted, mutedGroup, left, unregistered].count
        try await game.send("before", to: .devices([crowd[0].reference]))
        _ = try game.servers.pushes()

        try await game.servers.perform(.stopAPNs)
        let message = try await game.client.send(
            Message(
                content: try game.content("Hello", ["zh": "你好"]), audience: .topic("crowd"), lane: .bulk)
        ).id
        try await game.client.update(muted.reference, app: game.app, with: DeviceUpdate(isMuted: true))
        try await game.client.join("user/42", devices: [mutedGroup.reference], app: game.app)
        try await game.client.setMuted(true, group: "user/42", app: game.app)
        try await game.client.unsubscribe(from: ["crowd"], devices: [left.reference], app: game.app)
        try await game.client.unregister(unregistered.reference, app: game.app)
        try await game.client.update(chinese.reference, app: game.app, with: DeviceUpdate(locale: "zh-Hans-CN"))
        try await game.start(on: "new token", replacing: replaced)
        try await game.start(on: "late", topics: ["crowd"])
        try await game.servers.perform(.continueAPNs)

        // A phone that has left is counted if its page had been read; otherwise it is not addressed.
        let outcomes = try await game.finish(message)
        #expect(outcomes[.delivered] == UInt64(deliveredCount))
        #expect(outcomes[.muted] == 2)
        #expect((outcomes[.left] ?? 0) + (outcomes[.unregistered] ?? 0) <= 2)
        #expect(Set(outcomes.keys).isSubset(of: [.delivered, .muted, .left, .unregistered]))
        let arrivals = try game.arrivals()
        for phone in [muted, mutedGroup, left, unregistered, replaced, "late"] { #expect(arrivals[phone] == nil) }
        #expect(arrivals[chinese].map(Set.init) == ["你好"])
        #expect(arrivals["new token"].map(Set.init) == ["Hello"])
        #expect(arrivals.count == deliveredCount)
        // On a busy machine a connection can be silent for so long that it is replaced, and pushes are sent again.
        #expect(arrivals.values.allSatisfy { Set($0).count == 1 })
    }
}
