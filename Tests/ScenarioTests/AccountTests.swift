import CarillonClient
import CarillonCore
import Testing

/// Accounts of players, and their phones.
@Suite(.timeLimit(.minutes(10))) struct AccountTests {
    @Test func `a sign-in is announced to the other phones in their languages`() async throws {
        let game = try await Game()
        try await game.start(on: "iPhone", locale: "en-GB")
        try await game.start(on: "iPad", locale: "zh-Hant-TW")
        try await game.start(on: "iPod", locale: "de-AT")
        try await game.start(on: "neighbour's")

        try await game.signIn("user/42", on: "iPhone")
        #expect(try game.arrivals() == [:])

        try await game.signIn("user/42", on: "iPad")
        #expect(try game.arrivals() == ["iPhone": ["New sign-in on iPad"]])

        try await game.signIn("user/42", on: "iPod")
        #expect(try game.arrivals() == ["iPhone": ["New sign-in on iPod"], "iPad": ["iPod 上有新的登入"]])

        // A repeated sign-in is not announced again.
        try await game.signIn("user/42", on: "iPod")
        #expect(try game.arrivals() == [:])
    }

    @Test func `a player of level 5 belongs to it on every phone even on one bought later`() async throws {
        let game = try await Game()
        for phone: Phone in ["iPhone", "iPad"] {
            try await game.start(on: phone)
            try await game.signIn("user/42", on: phone)
        }
        try await game.start(on: "neighbour's")
        _ = try game.arrivals()

        try await game.subscribe("user/42", to: "level5")
        try await game.send("The tower is open", to: .topic("level5"))
        #expect(try game.arrivals() == ["iPhone": ["The tower is open"], "iPad": ["The tower is open"]])

        // A new phone.
        try await game.start(on: "new iPhone")
        try await game.signIn("user/42", on: "new iPhone")
        _ = try game.arrivals()
        try await game.send("The tower closes", to: .topic("/topics/level5"))
        #expect(Set(try game.arrivals().keys) == ["iPhone", "iPad", "new iPhone"])
        let memberships = try await game.client.memberships(of: Phone("new iPhone").reference, app: game.app)
        #expect(memberships.topics == [Memberships.TopicMembership(topic: "level5", source: "user/42")])
    }

    @Test func `after a sign-out the next user of the phone gets none of the pushes`() async throws {
        let game = try await Game()
        for phone: Phone in ["iPhone", "iPad"] {
            try await game.start(on: phone, topics: ["news"])
            try await game.signIn("user/42", on: phone)
        }
        try await game.subscribe("user/42", to: "level5")
        _ = try game.arrivals()

        try await game.signOut("user/42", on: "iPhone")
        try await game.signIn("user/43", on: "iPhone")
        try await game.subscribe("user/43", to: "level1")

        for audience in [Audience.groups(["user/42"]), .topic("level5"), .topic("news")] {
            #expect(try await game.send("For 42", to: audience) == [.delivered: 1])
        }
        try await game.send("For 43", to: .groups(["user/43"]))
        try await game.send("For beginners", to: .topic("level1"))
        #expect(
            try game.arrivals() == [
                "iPad": ["For 42", "For 42", "For 42"], "iPhone": ["For 43", "For beginners"],
            ])
    }

    @Test func `a topic of the phone itself stays when its group leaves the topic`() async throws {
        let game = try await Game()
        try await game.start(on: "iPhone", topics: ["news"])
        try await game.signIn("user/42", on: "iPhone")
        try await game.subscribe("user/42", to: "news")

        try await game.unsubscribe("user/42", from: "news")
        #expect(try await game.send("one", to: .topic("news")) == [.delivered: 1])
        try await game.client.unsubscribe(from: ["news"], devices: [Phone("iPhone").reference], app: game.app)
        #expect(try await game.send("two", to: .topic("news")) == [:])
        #expect(try game.arrivals() == ["iPhone": ["one"]])
    }

    @Test func `a change of character is one call`() async throws {
        let game = try await Game()
        for phone: Phone in ["iPhone", "iPad"] { try await game.start(on: phone) }
        try await game.signIn("role/9001", on: "iPhone")
        try await game.signIn("role/9002", on: "iPad")
        try await game.subscribe("role/9001", to: "guild/77")
        try await game.subscribe("role/9002", to: "guild/88")

        let change = try await game.client.switchGroup(
            of: Phone("iPhone").reference, from: "role/9001", to: "role/9002", app: game.app,
            announcing: Announcement(PushNotification(alert: .init(body: "Also played on iPhone"))))
        #expect(change.hasLeft)
        #expect(change.hasJoined)
        try await game.finish(try #require(change.announcement))
        #expect(try game.arrivals() == ["iPad": ["Also played on iPhone"]])

        #expect(try await game.send("For 77", to: .topic("guild/77")) == [:])
        try await game.send("For 88", to: .topic("guild/88"))
        #expect(try game.arrivals() == ["iPhone": ["For 88"], "iPad": ["For 88"]])
    }

    @Test func `a new token keeps groups, topics and settings`() async throws {
        let game = try await Game()
        let device = try await game.start(on: "old token", locale: "zh-Hans-CN", topics: ["news"])
        try await game.signIn("user/42", on: "old token")
        try await game.subscribe("user/42", to: "level5")

        #expect(try await game.start(on: "new token", replacing: "old token") == device)
        for audience in [
            Audience.topic("news"), .topic("level5"), .groups(["user/42"]), .all,
            .condition(try Condition("locale == 'zh-Hans'")), .devices([.id(device)]),
        ] {
            #expect(try await game.send("hello", ["zh": "你好"], to: audience) == [.delivered: 1])
        }
        #expect(try game.arrivals() == ["new token": Array(repeating: "你好", count: 6)])
        let toTheOld = try await game.send("hello", to: .devices([Phone("old token").reference]))
        #expect(toTheOld == [.unregistered: 1])
        #expect(try game.arrivals() == [:])
    }

    @Test func `a phone that is unregistered gets nothing from any client`() async throws {
        let game = try await Game()
        for phone: Phone in ["iPhone", "iPad"] {
            try await game.start(on: phone, topics: ["news"])
            try await game.signIn("user/42", on: phone)
        }
        _ = try game.arrivals()

        try await game.client.unregister(Phone("iPhone").reference, app: game.app)
        for audience in [Audience.topic("news"), .groups(["user/42"]), .all] {
            #expect(try await game.send("hello", to: audience) == [.delivered: 1])
        }
        let byName = try await game.send("hello", to: .devices([Phone("iPhone").reference]))
        #expect(byName == [.unregistered: 1])
        #expect(try game.arrivals() == ["iPad": ["hello", "hello", "hello"]])

        // A new registration starts without groups and topics.
        try await game.start(on: "iPhone")
        #expect(try await game.send("again", to: .topic("news")) == [.delivered: 1])
        #expect(try game.arrivals() == ["iPad": ["again"]])
    }

    /// Starts a game with an account on two phones, and with a neighbour; all have the topic `news`.
    private func gameWithANeighbour() async throws -> Game {
        let game = try await Game()
        for phone: Phone in ["iPhone", "iPad"] {
            try await game.start(on: phone, topics: ["news"])
            try await game.signIn("user/42", on: phone)
        }
        try await game.start(on: "neighbour's", topics: ["news"])
        _ = try game.arrivals()
        return game
    }

    @Test func `a muted phone gets no push until it is unmuted`() async throws {
        let game = try await gameWithANeighbour()
        try await game.client.update(Phone("iPhone").reference, app: game.app, with: DeviceUpdate(isMuted: true))
        let one = try await game.send("one", to: .topic("news"))
        let two = try await game.send("two", to: .devices([Phone("iPhone").reference]))
        #expect([one, two] == [[.delivered: 2, .muted: 1], [.muted: 1]])
        #expect(try game.arrivals() == ["iPad": ["one"], "neighbour's": ["one"]])

        try await game.client.update(Phone("iPhone").reference, app: game.app, with: DeviceUpdate(isMuted: false))
        #expect(try await game.send("three", to: .devices([Phone("iPhone").reference])) == [.delivered: 1])
        #expect(try game.arrivals() == ["iPhone": ["three"]])
    }

    @Test func `the mute of a phone survives a sign-out, a sign-in and a new token`() async throws {
        let game = try await gameWithANeighbour()
        try await game.client.update(Phone("iPhone").reference, app: game.app, with: DeviceUpdate(isMuted: true))
        try await game.signOut("user/42", on: "iPhone")
        try await game.signIn("user/42", on: "iPhone")
        try await game.start(on: "iPhone, new token", replacing: "iPhone")
        _ = try game.arrivals()

        #expect(try await game.send("hello", to: .groups(["user/42"])) == [.delivered: 1, .muted: 1])
        #expect(try game.arrivals() == ["iPad": ["hello"]])
    }

    @Test func `no phone of a muted account gets a push until it is unmuted`() async throws {
        let game = try await gameWithANeighbour()
        #expect(try await game.client.setMuted(true, group: "user/42", app: game.app) == 2)
        #expect(try await game.send("one", to: .all) == [.delivered: 1, .muted: 2])
        try await game.client.setMuted(false, group: "user/42", app: game.app)
        #expect(try await game.send("two", to: .groups(["user/42"])) == [.delivered: 2])
        #expect(try game.arrivals() == ["neighbour's": ["one"], "iPhone": ["two"], "iPad": ["two"]])
    }
}
