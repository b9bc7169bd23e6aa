import CarillonSpelling
import Testing

struct SpellingTests {
    private let words = ["send", "list", "message", "members", "status", "resume", "resend", "--title", "--limit"]

    @Test(arguments: [
        ("sned", "send"), ("lst", "list"), ("List", "list"), ("mesage", "message"), ("membres", "members"),
        ("stat", "status"), ("--titel", "--title"), ("titel", nil), ("--fast", nil), ("", nil), ("x", nil),
        ("re", nil), ("res", nil), ("remove", nil), ("ls", nil),
    ])
    func `the nearest word is suggested`(_ word: String, _ nearest: String?) {
        #expect(Spelling.nearest(to: word, among: words) == nearest)
    }

    @Test func `the nearer of two words is suggested`() {
        #expect(Spelling.nearest(to: "receipt", among: ["receive", "receipts", "receipt"]) == "receipt")
    }

    @Test func `a long word has no suggestion`() {
        let long = String(repeating: "a", count: 100_000)
        #expect(Spelling.nearest(to: long, among: [long]) == nil)
    }

    @Test func `a suggestion is a question`() {
        #expect(Spelling.suggestion(for: "sned", among: words) == " Did you mean 'send'?")
        #expect(Spelling.suggestion(for: "fly", among: words) == "")
    }
}
