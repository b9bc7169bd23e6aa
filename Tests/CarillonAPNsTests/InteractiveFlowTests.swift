import CarillonAPNs
import Testing

/// Who takes the interactive lane while a fan-out runs.
@Suite struct InteractiveFlowTests {
    @Test func oneThatKeepsUpTakesAll() {
        var flow = InteractiveFlow()
        let kept = [
            flow.turned(answers: 0, waiting: 0, canTake: true, at: 0),
            flow.turned(answers: 0, waiting: 1, canTake: true, at: 3_600_000),
            flow.turned(answers: 1, waiting: 127, canTake: true, at: 3_600_100),
            flow.turned(answers: 90, waiting: 127, canTake: true, at: 3_601_099),
        ]
        #expect(kept == [true, true, true, true])
    }

    @Test func withTooManyUnansweredTheOthersHelp() {
        var flow = InteractiveFlow()
        let kept = [
            flow.turned(answers: 0, waiting: 127, canTake: true, at: 0),
            flow.turned(answers: 0, waiting: 128, canTake: true, at: 1),
            flow.turned(answers: 40, waiting: 88, canTake: true, at: 2),
        ]
        #expect(kept == [true, false, true])
    }

    /// A connection that has died without a word gets pushes for a second, not until a PING has shown it.
    @Test func withoutAnswersTheOthersHelp() {
        var flow = InteractiveFlow()
        let kept = [
            flow.turned(answers: 5, waiting: 0, canTake: true, at: 10_000),
            flow.turned(answers: 5, waiting: 1, canTake: true, at: 20_000),
            flow.turned(answers: 5, waiting: 2, canTake: true, at: 20_999),
            flow.turned(answers: 5, waiting: 3, canTake: true, at: 21_000),
            flow.turned(answers: 6, waiting: 2, canTake: true, at: 30_000),
        ]
        #expect(kept == [true, true, true, false, true])
    }

    @Test func whatCannotBeTakenIsLeft() {
        var flow = InteractiveFlow()
        let kept = flow.turned(answers: 0, waiting: 0, canTake: false, at: 0)
        #expect(!kept)
    }

    /// The wall clock is not asked, but nothing breaks if time stands still or goes back.
    @Test func timeThatGoesBackIsNoSilence() {
        var flow = InteractiveFlow()
        _ = flow.turned(answers: 0, waiting: 1, canTake: true, at: 5_000)
        let kept = flow.turned(answers: 0, waiting: 1, canTake: true, at: 10)
        #expect(kept)
    }
}
