import CarillonCore
import CarillonTestKit
import Testing

@testable import carillon

/// The last line of a command that has watched a message.
struct MessageWatchTests {
    @Test func theNoteNamesTheCommandsForAMessageThatGoesOn() {
        let note = MessageWatch.closingNote(MessageID(rawValue: 7), app: TestApps.game)
        #expect(note.contains("carillon message watch 7 --app com.example.game "))
        #expect(note.contains("carillon message cancel 7 --app com.example.game "))
    }
}
