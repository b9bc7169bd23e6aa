import CarillonCore
import Testing

/// The text after a prefix, which is compared by characters.
struct StringPrefixTests {
    @Test func `a prefix is removed once`() {
        #expect("/v1/send".removing(prefix: "/v1/") == "send")
        #expect("/v1/v1/".removing(prefix: "/v1/") == "v1/")
        #expect("/v1/".removing(prefix: "/v1/") == "")
        #expect("send".removing(prefix: "") == "send")
        #expect("ä:größe".removing(prefix: "ä:") == "größe")
    }

    @Test func `a text without the prefix has no rest`() {
        #expect("/v1".removing(prefix: "/v1/") == nil)
        #expect("/V1/send".removing(prefix: "/v1/") == nil)
        #expect("an /v1/send".removing(prefix: "/v1/") == nil)
        #expect("".removing(prefix: "/v1/") == nil)
    }

    @Test func `a letter with an accent is not the letter alone`() {
        #expect("e\u{301}t".removing(prefix: "e") == nil)
        #expect("e\u{301}t".removing(prefix: "\u{E9}") == "t")
    }

    @Test func `the case of a scheme does not matter and that of its credentials stays`() {
        #expect("Bearer KeY".removing(prefixInAnyCase: "bearer ") == "KeY")
        #expect("BEARER KeY".removing(prefixInAnyCase: "Bearer ") == "KeY")
        #expect("Basic KeY".removing(prefixInAnyCase: "bearer ") == nil)
    }
}
