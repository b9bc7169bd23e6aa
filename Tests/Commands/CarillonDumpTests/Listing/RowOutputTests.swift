import CarillonCommandLine
import Testing

@testable import carillon_dump

/// The rows of a listing, as CSV and as JSON.
struct RowOutputTests {
    @Test(arguments: [
        (JSON.text("plain"), "plain"), (.text("a,b"), "\"a,b\""), (.text("say \"hi\""), "\"say \"\"hi\"\"\""),
        (.text("two\nlines"), "\"two\nlines\""), (.number(7), "7"), (.bool(true), "true"),
        (.list([.text("a"), .number(2)]), "a;2"),
        (.object([.init(name: "tier", value: "gold"), .init(name: "x", value: "1,2")]), "\"tier=gold;x=1,2\""),
    ])
    func `a field of CSV is quoted if it must be`(_ value: JSON, _ field: String) {
        #expect(value.csv == field)
    }

    @Test func `a row is written as CSV and as JSON`() {
        let values: [JSON?] = [.number(1), nil, .text("b,c")]
        #expect(RowOutput.line(columns: ["a", "n", "b"], values: values, isCSV: true) == "1,,\"b,c\"\r\n")
        #expect(RowOutput.line(columns: ["a", "n", "b"], values: values, isCSV: false) == "{\"a\":1,\"b\":\"b,c\"}\n")
    }
}
