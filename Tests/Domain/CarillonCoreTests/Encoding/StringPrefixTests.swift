import CarillonCore
import Testing

/// The rest of a text after a prefix, which is compared by characters.
struct StringPrefixTests {
    @Test func aPrefixIsRemovedOnce() {
        #expect("/v1/send".removing(prefix: "/v1/") == "send")
        #expect("/v1/v1/".removing(prefix: "/v1/") == "v1/")
        #expect("/v1/".removing(prefix: "/v1/") == "")
        #expect("send".removing(prefix: "") == "send")
        #expect("ä:größe".removing(prefix: "ä:") == "größe")
    }

    @Test func aTextWithoutThePrefixHasNoRest() {
        #expect("/v1".removing(prefix: "/v1/") == nil)
        #expect("/V1/send".removing(prefix: "/v1/") == nil)
        #expect("an /v1/send".removing(prefix: "/v1/") == nil)
        #expect("".removing(prefix: "/v1/") == nil)
    }

    @Test func aLetterWithAnAccentIsNotTheLetterAlone() {
        #expect("e\u{301}t".removing(prefix: "e") == nil)
        #expect("e\u{301}t".removing(prefix: "\u{E9}") == "t")
    }

    @Test func theCaseOfASchemeDoesNotMatterAndThatOfItsCredentialsStays() {
        #expect("Bearer KeY".removing(prefixInAnyCase: "bearer ") == "KeY")
        #expect("BEARER KeY".removing(prefixInAnyCase: "Bearer ") == "KeY")
        #expect("Basic KeY".removing(prefixInAnyCase: "bearer ") == nil)
    }
}
