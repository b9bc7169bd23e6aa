import CarillonCommandLine
import Testing

struct TwoColumnTableTests {
    @Test func `names of two columns stand under each other`() {
        #expect(
            TwoColumnTable.text(of: [("公會戰", "guild"), ("topic", "level5")], columns: nil)
                == "公會戰  guild\ntopic   level5")
    }

    @Test func `the cells of a table are broken between words`() {
        #expect(
            TwoColumnTable.text(of: [("groups", "user/1, user/2, user/3, user/4"), ("x", "y")], columns: 31) == """
                groups  user/1, user/2, user/3,
                        user/4
                x       y
                """
        )
        let token = String(repeating: "0", count: 64)
        #expect(TwoColumnTable.text(of: [("token", token)], columns: 30) == "token  \(token)")
    }
}
