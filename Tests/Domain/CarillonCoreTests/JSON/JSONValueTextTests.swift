import CarillonCore
import CarillonTestKit
import Testing

/// The text of values for peers that take only strings.
struct JSONValueTextTests {
    @Test(
        arguments: [
            (.text("a\"b"), "a\"b"), (.integer(-7), "-7"), (.number(1.5), "1.5"), (.bool(true), "true"),
            (.null, "null"),
            (.array([1, "x"]), #"[1,"x"]"#), (.object(["b": 1, "a": .null]), #"{"a":null,"b":1}"#), (.text(""), ""),
        ] as [(JSONValue, String)])
    func `a string is its text and another value its JSON`(_ value: JSONValue, _ text: String) throws {
        #expect(try value.text(field: "x") == text)
    }
}
