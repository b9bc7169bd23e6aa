import CarillonCommandLine
import Testing

/// Tables of a name and a value in each line.
struct TerminalTests {
    @Test func theValuesOfATableAreAlignedAlsoAfterWideLetters() {
        #expect(
            Terminal.table([("公會戰", "guild"), ("topic", "level5")], columns: nil) == "公會戰  guild\ntopic   level5")
    }

    @Test func aLongValueIsWrappedBetweenWords() {
        #expect(
            Terminal.table([("groups", "user/1, user/2, user/3, user/4"), ("x", "y")], columns: 31) == """
                groups  user/1, user/2, user/3,
                        user/4
                x       y
                """
        )
    }

    @Test func aWordThatIsLongerThanItsLineStaysWhole() {
        let token = String(repeating: "0", count: 64)
        #expect(Terminal.table([("token", token)], columns: 30) == "token  \(token)")
    }
}
