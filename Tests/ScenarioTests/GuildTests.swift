import CarillonClient
import CarillonCore
import Testing

/// Topics of a game: a guild is a team of players, and the topic `guild/77` reaches the devices of its members. Each
/// character of a player is a group, `role/1`, with the phones on which it is played.
@Suite(.timeLimit(.minutes(10))) struct GuildTests {
    /// Starts a game with three characters of two accounts in guild 77; the master has two phones.
    private func guild() async throws -> Game {
        let game = try await Game()
        for (phone, locale, role): (Phone, String, GroupName) in [
            ("master's iPhone", "en-GB", "role/1"), ("master's iPad", "en-GB", "role/1"),
            ("Ada's", "zh-Hant-TW", "role/2"), ("Ben's", "de-AT", "role/3"),
        ] {
            try await game.start(on: phone, locale: locale)
            try await game.client.join(role, devices: [phone.reference], app: game.app)
        }
        try await game.start(on: "neighbour's", locale: "en-US")
        try await game.subscribe("role/1", "role/2", "role/3", to: "guild/77")
        return game
    }

    @Test func `a message of the master reaches the guild except the phone that sent it`() async throws {
        let game = try await guild()
        let words = #"{ "aps": {"alert": {"body": "Attack at 9 — 九點進攻!"}}, "type":"guild", "content": 77 }"#
        let raw = MessageContent(app: game.app, pushType: .alert, payload: Array(words.utf8))
        #expect(try await game.send(raw, to: .topic("guild/77"), except: "master's iPhone") == [.delivered: 3])

        let pushes = try game.servers.pushes()
        #expect(Set(pushes.map(\.phone)) == ["master's iPad", "Ada's", "Ben's"])
        #expect(pushes.map(\.payload) == [words, words, words])
    }

    @Test func `a notice reaches each member in the language of the phone`() async throws {
        let game = try await guild()
        try await game.send(
            "Guild war tonight", ["zh-Hant": "今晚公會戰", "de": "Heute Gildenkrieg"], to: .topic("guild/77"))
        #expect(
            try game.arrivals() == [
                "master's iPhone": ["Guild war tonight"], "master's iPad": ["Guild war tonight"],
                "Ada's": ["今晚公會戰"], "Ben's": ["Heute Gildenkrieg"],
            ])
    }

    @Test func `characters leave guilds and join others`() async throws {
        let game = try await guild()
        try await game.unsubscribe("role/2", from: "guild/77")
        try await game.subscribe("role/2", to: "guild/88")
        #expect(try await game.send("For 77", to: .topic("guild/77")) == [.delivered: 3])
        #expect(try await game.send("For 88", to: .topic("guild/88")) == [.delivered: 1])
        #expect(
            try game.arrivals() == [
                "master's iPhone": ["For 77"], "master's iPad": ["For 77"], "Ben's": ["For 77"], "Ada's": ["For 88"],
            ])

        var topics: [TopicName: Int] = [:]
        for try await topic in game.client.topics(of: game.app, prefix: "guild/") {
            topics[topic.topic] = topic.devices
        }
        #expect(topics == ["guild/77": 3, "guild/88": 1])
    }

    @Test func `audiences that overlap give each phone one copy`() async throws {
        let game = try await guild()
        try await game.subscribe("role/1", "role/2", to: "level5")
        for condition in [
            "'level5' in topics || 'guild/77' in topics",
            "'role/1' in groups || 'level5' in topics || 'guild/77' in topics && !('role/9' in groups)",
        ] {
            #expect(try await game.send("once", to: .condition(try Condition(condition))) == [.delivered: 4])
            #expect(
                try game.arrivals() == [
                    "master's iPhone": ["once"], "master's iPad": ["once"], "Ada's": ["once"], "Ben's": ["once"],
                ])
        }
        #expect(try await game.send("both", to: .groups(["role/1", "role/1", "role/2"])) == [.delivered: 3])
        #expect(Set(try game.arrivals().values) == [["both"]])
    }

    @Test func `a condition addresses exactly its devices`() async throws {
        let game = try await guild()
        try await game.start(
            on: "tablet", attributes: [try #require(AttributeChange(key: "platform", value: "ipados"))])
        try await game.subscribe("role/1", "role/2", to: "level5")

        let english = try Condition("'level5' in topics && locale == 'en' && !('role/3' in groups)")
        let explanation = try await game.client.explain(english, app: game.app)
        #expect(explanation.devices == 2)
        try await game.send("well played", to: .condition(english))
        try await game.send("bigger maps", to: .condition(try Condition("platform == 'ipados'")))
        #expect(
            try game.arrivals() == [
                "master's iPhone": ["well played"], "master's iPad": ["well played"], "tablet": ["bigger maps"],
            ])
    }

    @Test func `a dry run counts and sends nothing`() async throws {
        let game = try await guild()
        let content = try game.content("never")
        for (audience, count): (Audience, UInt32) in [
            (.all, 5), (.topic("guild/77"), 4), (.groups(["role/1"]), 2), (.topic("empty"), 0),
            (.condition(try Condition("!('guild/77' in topics)")), 1),
        ] {
            let dry = try await game.client.send(Message(content: content, audience: audience, isDryRun: true))
            #expect(dry.total == count)
            #expect(dry.id == MessageID(rawValue: 0))
        }
        // The next message is the first that arrives.
        try await game.send("now", to: .topic("guild/77"), except: "Ben's")
        #expect(
            try game.arrivals() == ["master's iPhone": ["now"], "master's iPad": ["now"], "Ada's": ["now"]])
    }
}
