import Testing

/// A file that the server refuses: the fault in it, its text, and words of the error.
struct RefusedFile: CustomTestStringConvertible {
    let fault: String
    let text: String
    let words: String

    init(_ fault: String, text: String, words: String) {
        self.fault = fault
        self.text = text
        self.words = words
    }

    var testDescription: String { fault }
}
