import CarillonClient
import CarillonCore
import Testing

/// A server that is killed and starts again.
@Suite(.timeLimit(.minutes(10))) struct RestartTests {
    /// Makes a guild: a player with three phones, one of them muted, and a friend whose role is muted.
    private func guild() async throws -> Game {
        let game = try await Game()
        for (phone, locale): (Phone, String) in [
            ("iPhone", "en-GB"), ("iPad", "zh-Hant-TW"), ("quiet", "en-GB"), ("friend's", "de-AT"),
        ] { try await game.start(on: phone, locale: locale) }
        let phones: [Phone] = ["iPhone", "iPad", "quiet"]
        try await game.client.join("user/42", devices: phones.map(\.reference), app: game.app)
        try await game.client.join("role/9001", devices: [Phone("friend's").reference], app: game.app)
        try await game.subscribe("user/42", "role/9001", to: "guild/77")
        try await game.client.update(Phone("quiet").reference, app: game.app, with: DeviceUpdate(isMuted: true))
        try await game.client.setMuted(true, group: "role/9001", app: game.app)
        // The connection to APNs is warm.
        try await game.send("before", to: .devices([Phone("iPad").reference]))
        #expect(try game.arrivals() == ["iPad": ["before"]])
        return game
    }

    /// Sends a notice to the guild. The server is killed when the notice is accepted and perhaps in flight, and before
    /// APNs has answered; then it starts again.
    private func sendNoticeAndKillServer(_ game: Game) async throws -> MessageID {
        try await game.servers.perform(.stopAPNs)
        let notice = try await game.client.send(
            Message(
                content: try game.content("Guild war", ["zh": "公會戰", "de": "Gildenkrieg"]),
                audience: .topic("guild/77")))
        try await game.servers.perform(.killServer)
        try await game.servers.perform(.continueAPNs)
        try await game.servers.perform(.startServer)
        return notice.id
    }

    @Test func `a notice that is being sent arrives at most twice after a kill`() async throws {
        let game = try await guild()
        let notice = try await sendNoticeAndKillServer(game)
        #expect(try await game.finish(notice) == [.delivered: 2, .muted: 2])
        let pushes = try game.servers.pushes()
        #expect(Set(try pushes.map { "\($0.phone): \(try $0.text)" }) == ["iPhone: Guild war", "iPad: 公會戰"])
        for pushesOfPhone in Dictionary(grouping: pushes, by: \.phone).values {
            #expect(pushesOfPhone.count <= 2)
            #expect(Set(pushesOfPhone.map(\.id)).count == 1)
        }
    }

    @Test func `groups, topics, languages and mutes stay if the server is killed`() async throws {
        let game = try await guild()
        try await game.finish(try await sendNoticeAndKillServer(game))
        _ = try game.arrivals()

        try await game.send("Peace", ["zh": "和平"], to: .groups(["user/42", "role/9001"]))
        #expect(try game.arrivals() == ["iPhone": ["Peace"], "iPad": ["和平"]])
        try await game.client.setMuted(false, group: "role/9001", app: game.app)
        try await game.client.update(Phone("quiet").reference, app: game.app, with: DeviceUpdate(isMuted: false))
        try await game.send("Peace", ["zh": "和平"], to: .topic("guild/77"))
        #expect(
            try game.arrivals() == [
                "iPhone": ["Peace"], "iPad": ["和平"], "quiet": ["Peace"], "friend's": ["Peace"],
            ])
    }

    @Test func `a sign-in is announced even if the server is killed right after it`() async throws {
        let game = try await Game()
        for phone: Phone in ["iPhone", "iPad"] { try await game.start(on: phone) }
        try await game.signIn("user/42", on: "iPhone")

        try await game.servers.perform(.stopAPNs)
        let joined = try await game.client.join(
            "user/42", devices: [Phone("iPad").reference], app: game.app,
            announcing: Announcement(PushNotification(alert: .init(body: "New sign-in on iPad"))))
        try await game.servers.perform(.killServer)
        try await game.servers.perform(.continueAPNs)
        try await game.servers.perform(.startServer)

        try await game.finish(try #require(joined.announcement))
        #expect(Set(try game.servers.pushes().map(\.phone)) == ["iPhone"])
        try await game.send("Both", to: .groups(["user/42"]))
        #expect(try game.arrivals() == ["iPhone": ["Both"], "iPad": ["Both"]])
    }

    @Test func `only pushes in flight arrive twice`() async throws {
        let game = try await Game()
        let crowd = try await game.crowd(2_000, in: "crowd")
        let message = try await game.client.send(
            Message(content: try game.content("It begins"), audience: .topic("crowd"), lane: .bulk)
        ).id

        // APNs stops in the middle. What the status counts is on disk; more may follow until the server is killed.
        var pushes = try await game.servers.pushes(afterAccepting: 300)
        try await game.servers.perform(.stopAPNs)
        let answered = try await game.client.status(of: message, app: game.app).outcomes[.delivered] ?? 0
        try await game.servers.perform(.killServer)

        // APNs reads what the killed server had written.
        try await game.servers.perform(.continueAPNs)
        try await game.servers.perform(.finishConnections)
        pushes += try game.servers.pushes()
        let inFlight = pushes.count - Int(answered)

        try await game.servers.perform(.startServer)
        #expect(try await game.finish(message) == [.delivered: 2_000])
        pushes += try game.servers.pushes()
        let byPhone = Dictionary(grouping: pushes, by: \.phone)
        #expect(Set(byPhone.keys) == Set(crowd))
        let twice = byPhone.values.filter { $0.count > 1 }
        #expect(twice.count <= inFlight)
        #expect(twice.allSatisfy { $0.count == 2 })
        #expect(twice.allSatisfy { Set($0.map(\.id)).count == 1 })
    }
}
