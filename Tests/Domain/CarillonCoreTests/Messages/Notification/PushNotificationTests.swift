import CarillonCore
import CarillonTestKit
import Testing

/// Notifications in Swift, and the payloads that they become.
struct PushNotificationTests {
    /// Returns the field at fault; nil if there is a payload.
    private func fault(_ notification: PushNotification) -> String? {
        faultyField { () throws(MessageError) in _ = try notification.payload() }
    }

    @Test func `a notification is built from literals`() throws {
        let raid = "Raid"
        let notification = PushNotification(
            alert: .init(title: "\(raid)!", body: .localized(key: "AT", arguments: ["21:00"])), sound: "horn.caf",
            data: ["raid": 77, "share": 0.5, "open": true, "who": ["Ada", .null], "at": ["x": -1]])
        #expect(
            String(decoding: try notification.payload(), as: UTF8.self) == """
                {"aps":{"alert":{"loc-args":["21:00"],"loc-key":"AT","title":"Raid!"},"sound":"horn.caf"},\
                "at":{"x":-1},"open":true,"raid":77,"share":0.5,"who":["Ada",null]}
                """)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that is not finite is refused`(_ number: Double) {
        #expect(fault(PushNotification(relevanceScore: number)) == "payload.aps.relevance-score")
        #expect(fault(PushNotification(sound: .critical(volume: number))) == "payload.aps.sound.volume")
        #expect(fault(PushNotification(data: ["a": ["b": [1, .number(number)]]])) == "payload.a.b")
    }

    @Test func `thirty-two levels are written`() {
        func nested(_ depth: Int) -> JSONValue { (1..<depth).reduce([]) { inner, _ in [inner] } }
        #expect(fault(PushNotification(data: ["a": nested(31)])) == nil)
        #expect(fault(PushNotification(data: ["a": nested(32)])) == "payload.a")
        #expect(fault(PushNotification(data: ["a": nested(2_000)])) == "payload.a")
    }

    @Test(arguments: [
        0.1, 1e-6, 1e-7, 123.456, 1e20, 1e21, 1.5e300, .leastNonzeroMagnitude, 0.30000000000000004,
        9_007_199_254_740_994,
    ])
    func `a number is read back as it was written`(_ number: Double) throws {
        for number in [number, -number] {
            let payload = try PushNotification(data: ["n": .number(number)]).payload()
            #expect(try JSONObjectParser.parse(payload)["n"]?.double == number)
        }
    }

    @Test func `random numbers are read back as they were written`() throws {
        var random = SeededGenerator(seed: TestSeeds.one(42))
        for _ in 0..<2_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let payload = try PushNotification(data: ["n": .number(number)]).payload()
            #expect(try JSONObjectParser.parse(payload)["n"]?.double == number)
        }
    }

    @Test func `a too long payload names its limit`() {
        let notification = PushNotification(alert: .init(body: .plain(String(repeating: "x", count: 4_080))))
        let error = #expect(throws: MessageError.self) { try notification.payload() }
        #expect(error?.limit == 4_096)
        #expect(throws: Never.self) { try notification.payload(for: .voip) }
    }
}
