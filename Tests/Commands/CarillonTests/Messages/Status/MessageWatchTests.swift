import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

private let game = TestApps.game

/// The note of a command that no longer follows its message.
struct MessageWatchTests {
    @Test func `the note names the commands for a message that goes on`() {
        let note = MessageWatch.closingNote(MessageID(rawValue: 7), app: game)
        #expect(note.contains("carillon message watch 7 --app com.example.game "))
        #expect(note.contains("carillon message cancel 7 --app com.example.game "))
    }
}
