import CarillonSpelling
import Testing

struct SpellingTests {
    private let words = ["send", "list", "message", "members", "status", "resume", "resend", "--title", "--limit"]

    @Test(arguments: [
        ("sned", "send"), ("lst", "list"), ("List", "list"), ("mesage", "message"), ("membres", "members"),
        ("stat", "status"), ("--titel", "--title"), ("titel", nil), ("--fast", nil), ("", nil), ("x", nil),
        ("re", nil), ("res", nil), ("remove", nil), ("ls", nil),
    ])
    func theNearestWordIsSuggested(_ word: String, _ nearest: String?) {
        #expect(Spelling.nearest(to: word, among: words) == nearest)
    }

    @Test func theNearerOfTwoWordsIsSuggested() {
        #expect(Spelling.nearest(to: "receipt", among: ["receive", "receipts", "receipt"]) == "receipt")
    }

    @Test func aLongWordHasNoSuggestion() {
        let long = String(repeating: "a", count: 100_000)
        #expect(Spelling.nearest(to: long, among: [long]) == nil)
    }

    @Test func aSuggestionIsAQuestion() {
        #expect(Spelling.suggestion(for: "sned", among: words) == " Did you mean 'send'?")
        #expect(Spelling.suggestion(for: "fly", among: words) == "")
    }
}
