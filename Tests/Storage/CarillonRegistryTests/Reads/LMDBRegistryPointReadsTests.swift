import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// LOOKUP and MESSAGE_STATUS: a list of point reads on one snapshot, a caller that stops in between, and the audience
/// in a status.
struct LMDBRegistryPointReadsTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    /// Returns the answers of the registry, in order; calls `between` after each.
    private func answers(
        from registry: LMDBRegistry, to pointReads: [PointRead], of app: AppID = game, between: () -> Void = {}
    ) -> [Result<PointReadResult?, RegistryError>] {
        var answers: [Result<PointReadResult?, RegistryError>] = []
        // The snapshot of the reads has everything.
        // Why try?: a closed registry makes no checkpoint, and refuses the reads too.
        try? registry.checkpoint()
        registry.pointRead(pointReads[...], of: app) { index, answer in
            #expect(index == answers.count)
            answers.append(answer ?? .failure(.overloaded))
            between()
            return true
        }
        return answers
    }

    @Test func `a caller continues point reads where it stopped`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2), .register(3)])
        try registry.checkpoint()
        let pointReads = [byToken(1), byToken(2), byToken(3), byToken(4)].map { PointRead.device($0) }
        var indices: [Int] = []
        registry.pointRead(pointReads[...], of: game) { index, _ in
            indices.append(index)
            return index < 1
        }
        #expect(indices == [0, 1])
        var rest: [Result<PointReadResult?, RegistryError>?] = []
        registry.pointRead(pointReads[2...], of: game) { index, answer in
            indices.append(index)
            rest.append(answer)
            return true
        }
        #expect(indices == [0, 1, 2, 3])
        let third = try #require(try registry.device(byToken(3), of: game))
        #expect(rest == [.success(.device(third)), .success(nil)])
    }

    @Test func `point reads of all kinds are answered in order`() throws {
        let registry = try scratch.open()
        let other = try #require(AppID("com.example.other"))
        try registry.apply([.register(1), .register(2), .updateDevice(2, isMuted: true)])
        try registry.apply(.accept(.sample(to: [byToken(1)]), now: timestamp(1_000)))
        let status = try #require(try registry.status(of: messageID(1), app: game))
        let (one, two) = (try registry.device(byToken(1), of: game), try registry.device(byToken(2), of: game))
        #expect(one?.isMuted == false)
        #expect(two?.isMuted == true)
        let pointReads: [PointRead] = [
            .device(byToken(1)), .device(.id(deviceID(2))), .status(messageID(1)), .device(byToken(9)),
            .device(.id(deviceID(9))), .status(messageID(9)), .device(byToken(2)),
        ]
        // The first time the pages of the records are unknown.
        for _ in 1...2 {
            #expect(
                answers(from: registry, to: pointReads) == [
                    .success(one.map(PointReadResult.device)), .success(two.map(PointReadResult.device)),
                    .success(.status(status)), .success(nil), .success(nil), .success(nil),
                    .success(two.map(PointReadResult.device)),
                ])
        }
        #expect(answers(from: registry, to: pointReads, of: other) == pointReads.map { _ in .success(nil) })
        try registry.apply(.register(Registration(app: other, address: address(9)), now: timestamp(1_000)))
        #expect(
            answers(from: registry, to: pointReads, of: other)[3]
                == .success(try registry.device(byToken(9), of: other).map(PointReadResult.device)))
        #expect(answers(from: registry, to: [], of: game).isEmpty)
    }

    @Test func `point reads of one list see the same snapshot`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        let pointRead = PointRead.device(byToken(1))
        let completions = Completions()
        let found = answers(from: registry, to: [pointRead, pointRead]) {
            registry.submit([.unregister(1)], deadline: nil, completion: completions.completion())
            _ = completions.wait()
        }
        #expect(found.count == 2)
        #expect(found[0] == found[1])
        #expect(answers(from: registry, to: [pointRead]) == [.success(nil)])
    }

    @Test func `a closed registry refuses each point read`() throws {
        let registry = try scratch.open()
        registry.close()
        let pointRead = PointRead.device(byToken(1))
        #expect(answers(from: registry, to: [pointRead, pointRead]) == [.failure(.closed), .failure(.closed)])
    }

    // MARK: The audience in a status

    /// Conditions of about 4,096 bytes, on both sides of the limit, and a short and a long one.
    @Test(arguments: [1, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 200])
    func `a status has the text of a condition within its limit`(terms: Int) throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<3, topics: ["100" + String(repeating: "t", count: 34)])
        let text = (0..<terms).map { "'\(String($0 + 100))\(String(repeating: "t", count: 34))' in topics" }
            .joined(separator: " || ")
        let condition = try Condition(text)
        try registry.accept(.sample(to: .condition(condition)))
        let status = try #require(try registry.status(of: first, app: game))
        let isShort = condition.description.utf8.count <= MessageStatus.maximumAudienceBytes
        #expect(status.audience == (isShort ? condition.description : nil))
    }

    @Test func `a status writes a topic and all devices as a condition`() throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<3, topics: ["news"])
        for (number, audience) in [Audience.topic("news"), .all].enumerated() {
            try registry.accept(.sample(to: audience))
            let id = messageID(UInt64(number) + 1)
            let status = try #require(try registry.status(of: id, app: game))
            #expect(status.audience != nil)
            #expect(status.audience == audience.condition?.description)
        }
    }
}
