import CarillonClient
import CarillonCore
import Testing

/// The same news in several languages.
@Suite(.timeLimit(.minutes(10))) struct LanguageTests {
    private let hello = ["zh": "你好", "zh-Hant": "您好", "de": "Hallo"]

    @Test func `a phone that switches to Chinese gets all later pushes in Chinese`() async throws {
        let game = try await Game()
        for phone: Phone in ["iPhone", "iPad"] {
            try await game.start(on: phone, locale: "en-US", topics: ["news"])
            try await game.client.join("user/42", devices: [phone.reference], app: game.app)
        }
        try await game.start(on: "friend's", locale: "en-US", topics: ["news"])
        try await game.send("Hello", hello, to: .topic("news"))
        #expect(try game.arrivals() == ["iPhone": ["Hello"], "iPad": ["Hello"], "friend's": ["Hello"]])

        for try await device in game.client.devices(of: "user/42", app: game.app) {
            try await game.client.update(.id(device), app: game.app, with: DeviceUpdate(locale: "zh-Hans-CN"))
        }
        try await game.send("Hello", hello, to: .topic("news"))
        try await game.send("Hello", hello, to: .groups(["user/42"]))
        try await game.send("Hello", hello, to: .devices([Phone("iPhone").reference]))
        try await game.send("Hello", hello, to: .condition(try Condition("locale == 'zh'")))
        #expect(
            try game.arrivals() == [
                "iPhone": Array(repeating: "你好", count: 4), "iPad": Array(repeating: "你好", count: 3),
                "friend's": ["Hello"],
            ])
    }

    @Test func `each phone gets the nearest language and the default if there is none`() async throws {
        let game = try await Game()
        let phones: [(phone: Phone, locale: String?, text: String)] = [
            ("Taipei", "zh-Hant-TW", "您好"), ("Beijing", "zh-Hans-CN", "你好"), ("Vienna", "de-AT", "Hallo"),
            ("Paris", "fr-FR", "Hello"), ("unknown", nil, "Hello"),
        ]
        for phone in phones { try await game.start(on: phone.phone, locale: phone.locale) }
        #expect(try await game.send("Hello", hello, to: .all) == [.delivered: 5])
        let arrivals = try game.arrivals()
        #expect(arrivals.count == phones.count)
        for phone in phones { #expect(arrivals[phone.phone] == [phone.text]) }
    }

    @Test func `a phone without a matching language gets nothing and is counted`() async throws {
        let game = try await Game()
        try await game.start(on: "Vienna", locale: "de-AT")
        try await game.start(on: "Paris", locale: "fr-FR")
        try await game.start(on: "unknown")
        let outcomes = try await game.send(try game.content(nil, ["de": "Hallo", "zh": "你好"]), to: .all)
        #expect(outcomes == [.delivered: 1, .noLanguage: 2])
        #expect(try game.arrivals() == ["Vienna": ["Hallo"]])
    }

    @Test func `one topic for each language works as well`() async throws {
        let game = try await Game()
        try await game.start(on: "London", topics: ["news_en"])
        try await game.start(on: "Beijing", topics: ["news_zh"])
        try await game.send("Hello", to: .topic("news_en"))
        try await game.send("你好", to: .topic("news_zh"))
        #expect(try game.arrivals() == ["London": ["Hello"], "Beijing": ["你好"]])

        // Each language has its own topic.
        let london = [Phone("London").reference]
        try await game.client.unsubscribe(from: ["news_en"], devices: london, app: game.app)
        try await game.client.subscribe(to: ["news_zh"], devices: london, app: game.app)
        #expect(try await game.send("Hello", to: .topic("news_en")) == [:])
        try await game.send("你好", to: .topic("news_zh"))
        #expect(try game.arrivals() == ["London": ["你好"], "Beijing": ["你好"]])
    }

    @Test func `the phone can look up the text itself`() async throws {
        let game = try await Game()
        try await game.start(on: "iPhone", locale: "zh-Hans-CN")
        let notification = PushNotification(
            alert: .init(body: .localized(key: "RAID_BODY", arguments: ["Ada", "21:00"])))
        try await game.send(try MessageContent(app: game.app, notification: notification), to: .all)
        #expect(try game.arrivals() == ["iPhone": ["RAID_BODY(Ada, 21:00)"]])
    }
}
