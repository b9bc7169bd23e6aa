import CarillonClient
import CarillonCore
import Testing

/// What the death of the server costs.
@Suite(.timeLimit(.minutes(2))) struct RestartTests {
    @Test func aServerThatDiesInTheMiddleOfASendLosesNoneOfTheStory() async throws {
        let game = try Game()
        for (phone, locale): (Phone, String) in [
            ("iPhone", "en-GB"), ("iPad", "zh-Hant-TW"), ("quiet", "en-GB"), ("friend's", "de-AT"),
        ] { try await game.start(on: phone, locale: locale) }
        let phones: [Phone] = ["iPhone", "iPad", "quiet"]
        try await game.client.join("user/42", devices: phones.map(\.reference), app: game.app)
        try await game.client.join("role/9001", devices: [Phone("friend's").reference], app: game.app)
        try await game.subscribe("user/42", "role/9001", to: "guild/77")
        try await game.client.update(Phone("quiet").reference, app: game.app, DeviceUpdate(isMuted: true))
        try await game.client.setMuted(true, group: "role/9001", app: game.app)
        // The connection to APNs is warm.
        try await game.send("before", to: .devices([Phone("iPad").reference]))
        #expect(try game.arrivals() == ["iPad": ["before"]])

        // A notice is accepted and perhaps on the wire, but nothing is answered, when the server dies.
        try game.world.happens(.apnsStandsStill)
        let notice = try await game.client.send(
            Message(
                content: try game.content("Guild war", ["zh": "公會戰", "de": "Gildenkrieg"]),
                audience: .topic("guild/77")))
        try game.world.happens(.serverDies)
        try game.world.happens(.apnsGoesOn)
        try game.world.happens(.serverStarts)

        // It arrives; twice at most, and then under the same id.
        #expect(try await game.finish(notice.id) == [.delivered: 2, .muted: 2])
        let pushes = try game.world.pushes()
        #expect(Set(try pushes.map { "\($0.phone): \(try $0.text)" }) == ["iPhone: Guild war", "iPad: 公會戰"])
        for phone in phones {
            let tries = pushes.filter { $0.phone == phone }
            #expect(tries.count <= 2)
            #expect(Set(tries.map(\.id)).count <= 1)
        }

        // Groups, topics, languages and both switches are as they were.
        try await game.send("Peace", ["zh": "和平"], to: .groups(["user/42", "role/9001"]))
        #expect(try game.arrivals() == ["iPhone": ["Peace"], "iPad": ["和平"]])
        try await game.client.setMuted(false, group: "role/9001", app: game.app)
        try await game.client.update(Phone("quiet").reference, app: game.app, DeviceUpdate(isMuted: false))
        try await game.send("Peace", ["zh": "和平"], to: .topic("guild/77"))
        #expect(
            try game.arrivals() == [
                "iPhone": ["Peace"], "iPad": ["和平"], "quiet": ["Peace"], "friend's": ["Peace"],
            ])
    }

    @Test func aSignInIsAnnouncedAlthoughTheServerDiesRightAfterIt() async throws {
        let game = try Game()
        for phone: Phone in ["iPhone", "iPad"] { try await game.start(on: phone) }
        try await game.signIn("user/42", on: "iPhone")

        try game.world.happens(.apnsStandsStill)
        let joined = try await game.client.join(
            "user/42", devices: [Phone("iPad").reference], app: game.app,
            announcing: Announcement(PushNotification(alert: .init(body: "New sign-in on iPad"))))
        try game.world.happens(.serverDies)
        try game.world.happens(.apnsGoesOn)
        try game.world.happens(.serverStarts)

        try await game.finish(try #require(joined.announcement))
        #expect(Set(try game.world.pushes().map(\.phone)) == ["iPhone"])
        try await game.send("Both", to: .groups(["user/42"]))
        #expect(try game.arrivals() == ["iPhone": ["Both"], "iPad": ["Both"]])
    }

    @Test func onlyWhatWasOnTheWireArrivesTwice() async throws {
        let game = try Game()
        let crowd = try await game.crowd(2_000, in: "crowd")
        let message = try await game.client.send(
            Message(content: try game.content("It begins"), audience: .topic("crowd"), lane: .bulk)
        ).id

        // APNs stalls in the middle; a moment later what it has answered is on disk.
        var pushes: [Push] = []
        while pushes.count < 300 {
            pushes += try game.world.pushes()
            try await Task.sleep(for: .milliseconds(1))
        }
        try game.world.happens(.apnsStandsStill)
        try await Task.sleep(for: .milliseconds(500))
        let answered = try await game.client.status(of: message, app: game.app).outcomes[.delivered] ?? 0
        try game.world.happens(.serverDies)

        // APNs reads what the dead server had written.
        try game.world.happens(.apnsGoesOn)
        var quiet = 0
        while quiet < 5 {
            let late = try game.world.pushes()
            quiet = late.isEmpty ? quiet + 1 : 0
            pushes += late
            try await Task.sleep(for: .milliseconds(100))
        }
        let onTheWire = pushes.count - Int(answered)

        try game.world.happens(.serverStarts)
        #expect(try await game.finish(message) == [.delivered: 2_000])
        pushes += try game.world.pushes()
        let byPhone = Dictionary(grouping: pushes, by: \.phone)
        #expect(Set(byPhone.keys) == Set(crowd))
        let twice = byPhone.values.filter { $0.count > 1 }
        #expect(twice.count <= onTheWire)
        #expect(twice.allSatisfy { $0.count == 2 && $0[0].id == $0[1].id })
    }
}
