import CarillonCore
import CarillonWire
import Foundation
import Testing

@testable import CarillonRegistry

/// The form of changes in the log.
struct ChangeRecordCodecTests {
    @Test(arguments: [
        register(
            1, seenAt: 5, replaces: 2, locale: "de", attributes: ["a": "b"], topics: ["x", "y"], groups: ["g"], now: 77),
        register(1), unregister(1, at: 3, now: 9), unregister(id: 4),
        update(1, locale: "", attributes: ["k": "v"], isMuted: false), update(2),
        join("g", [token(1), .id(id(9))]), leave("g", [token(1)], clearsTopics: true),
        subscribe(["a", "b"], devices: [token(1)], groups: ["g"]), unsubscribe(["a"], groups: ["g"]),
    ])
    func aChangeComesBackAsItWas(change: Change) throws {
        try #require(ChangeRecordCodec.canEncode(change))
        var frames = FrameWriter()
        ChangeRecordCodec.append(.changes([change, register(9)]), to: &frames)
        let read = try ChangeRecordCodec.changes(in: frames.bytes[...])
        #expect(read.map { "\($0)" } == [change, register(9)].map { "\($0)" })
    }

    @Test func changesWithoutAFormInTheLogAreCommitted() throws {
        let changes = [
            mute("g"), join("g", [token(1)], leaving: "h"), join("g", [token(1)], announcing: "{}"),
            .accept(message(to: [token(1)]), now: time(1)), record(1, [(0, .delivered)]), .release(now: time(1)),
        ]
        for change in changes { #expect(!ChangeRecordCodec.canEncode(change), "\(change)") }
    }
}
