import CarillonCore
import Testing

@testable import carillon

/// The words in which a command reports the effect of its update.
struct MessageUpdateOutputTests {
    /// An update, the state of the message afterwards, and the text of the command.
    struct Updated: CustomTestStringConvertible {
        let update: MessageUpdate
        let state: MessageState
        let text: String

        var testDescription: String { text }
    }

    @Test(
        arguments: [
            Updated(update: .cancel, state: .sending, text: "cancelled: devices without an outcome end as cancelled"),
            Updated(update: .cancel, state: .finished, text: "finished: there is nothing left to cancel"),
            Updated(update: .pause, state: .paused, text: "paused"),
            Updated(update: .resume, state: .scheduled, text: "resumed, scheduled"),
            Updated(update: .pace(2_000), state: .paused, text: "at most 2,000 deliveries a second, paused"),
            Updated(update: .pace(nil), state: .sending, text: "no limit of deliveries a second, sending"),
            Updated(update: .pace(1), state: .finished, text: "finished: there is nothing left to pace"),
        ])
    func `an update says what it has done`(_ updated: Updated) {
        #expect(updated.update.sentence(updated.state) == updated.text)
    }

    /// An update, the state and pace of the message before, and the text of the command.
    struct Change: CustomTestStringConvertible {
        let update: MessageUpdate
        let before: MessageState
        var pace: UInt32?
        let text: String

        var testDescription: String { text }
    }

    /// The server's answer has only the state afterwards, so the status before tells the change.
    @Test(
        arguments: [
            Change(update: .pause, before: .paused, text: "was paused already"),
            Change(update: .pause, before: .sending, text: "paused"),
            Change(update: .resume, before: .sending, text: "was not paused, sending"),
            Change(update: .resume, before: .paused, text: "resumed, sending"),
            Change(
                update: .pace(500), before: .sending, pace: 500,
                text: "at most 500 deliveries a second as before, sending"),
            Change(
                update: .pace(500), before: .sending,
                text: "at most 500 deliveries a second (before: no limit), sending"),
            Change(
                update: .pace(nil), before: .sending, pace: 2_000,
                text: "no limit of deliveries a second (before: 2,000), sending"),
            Change(update: .cancel, before: .paused, text: "cancelled: devices without an outcome end as cancelled"),
        ])
    func `an update says what it has changed`(_ change: Change) {
        var before = MessageStatus(
            state: change.before, acceptedAt: .zero, finishedAt: .zero, total: 9, outcomes: [:])
        before.pace = change.pace
        let after = change.update == .pause ? MessageState.paused : .sending
        #expect(change.update.sentence(after, before: before) == change.text)
    }
}
