import CarillonCore
import CarillonTestKit
import Testing

/// The estimated size of a change, by which the writer bounds its queue and its batches.
struct ChangeTraitsTests {
    private static let game = TestApps.game
    private static let text = [UInt8](repeating: 0x20, count: 4_096)

    private static func bytes(_ change: (inout MessageContent) -> Void) -> Int {
        var content = MessageContent(app: game, pushType: .alert, payload: [])
        change(&content)
        let message = Message(content: content, audience: .all)
        return Change.accept(message, now: Timestamp(milliseconds: 1)).traits.bytes
    }

    @Test func `the size of a message counts each part of its content`() {
        let empty = Self.bytes { _ in }
        let parts: [(String, (inout MessageContent) -> Void)] = [
            ("payload", { $0.payload = Self.text }),
            ("bodies", { $0.bodies = [LanguageBody(language: "de", payload: Self.text)] }),
            ("android", { $0.android = .overrides(Self.text) }),
            ("android_raw", { $0.android = .raw(Self.text) }),
            ("web", { $0.web = .overrides(Self.text) }),
            ("web_raw", { $0.web = .raw(Self.text) }),
        ]
        for (name, change) in parts { #expect(Self.bytes(change) >= empty + Self.text.count, "\(name)") }
    }
}
