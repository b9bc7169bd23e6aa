import CarillonCommandLine
import Testing

/// JSON as programs print it.
struct JSONTests {
    @Test func `an object is one line with its members in their order`() {
        let value = JSON.members([
            "z": .number(.max), "a": .text("tab\tquote\"back\\line\nü"), "none": nil,
            "list": .list([.bool(true), .null]),
        ])
        #expect(value.line == #"{"z":18446744073709551615,"a":"tab\tquote\"back\\line\nü","list":[true,null]}"#)
    }
}
