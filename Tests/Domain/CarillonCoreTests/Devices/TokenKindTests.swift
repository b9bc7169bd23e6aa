import CarillonCore
import Testing

/// The kinds of tokens. SpecificationTests compares their numbers, names and push types with the specification.
struct TokenKindTests {
    @Test func theNameOfATokenKindIsThatOfItsCase() {
        #expect(TokenKind.allCases.map(\.name) == TokenKind.allCases.map { String(describing: $0) })
    }
}
