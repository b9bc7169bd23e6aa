import CarillonCore
import Foundation
import Logging
import Testing

@testable import CarillonServer

/// One line of the log in each form: as text, as JSON, and with the priorities of journald.
struct LogLineTests {
    private func makeRecord(_ level: Logger.Level = .info, message: String = "listening", values: Logger.Metadata = [:])
        -> LogLine
    {
        LogLine(
            time: Timestamp(milliseconds: 1_790_000_091_007), level: level, label: "carillond",
            source: "CarillonServer", message: message, values: values)
    }

    @Test func `a record is written as text`() {
        #expect(
            makeRecord(.info, values: ["port": "7474", "host": "127.0.0.1"]).line(.text)
                == "2026-09-21T14:14:51.007Z info carillond: host=127.0.0.1 port=7474 [CarillonServer] listening")
        #expect(makeRecord().line(.text) == "2026-09-21T14:14:51.007Z info carillond: [CarillonServer] listening")
    }

    /// A label or the error of a peer must not look like other values, or like another line.
    @Test func `foreign text is quoted`() {
        let values: Logger.Metadata = [
            "label": "a principal=root", "error": "refused\n2026-09-21T14:14:51.007Z info audit: ", "empty": "",
            "quote": "a\"b's", "name": "user/阿达",
        ]
        #expect(
            makeRecord(.warning, message: "x", values: values).line(.text).hasSuffix(
                #"carillond: empty="" error="refused\n2026-09-21T14:14:51.007Z info audit: " "#
                    + #"label="a principal=root" name=user/阿达 quote="a\"b's" [CarillonServer] x"#))
    }

    @Test func `a record is written as JSON`() throws {
        let values: Logger.Metadata = [
            "port": "7474", "time": "now", "error": "a\n\"b\"\u{1}", "names": ["a", "b"], "pool": ["open": "1"],
        ]
        let line = makeRecord(.error, message: "cannot connect", values: values).line(.json)
        #expect(
            line == #"{"time":"2026-09-21T14:14:51.007Z","level":"error","logger":"carillond","#
                + #""source":"CarillonServer","msg":"cannot connect","error":"a\n\"b\"\u0001","names":["a","b"],"#
                + #""pool":{"open":"1"},"port":"7474","_time":"now"}"#)
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] as [(UInt64, String)])
    func `times have the form of RFC 3339`(_ milliseconds: UInt64, _ text: String) {
        var record = makeRecord()
        record.time = Timestamp(milliseconds: milliseconds)
        #expect(record.line(.text).hasPrefix(text))
    }

    @Test func `a line for journald begins with its priority`() {
        #expect(Logger.Level.allCases.map { makeRecord($0).priority }.joined() == "<7><7><6><5><4><3><2>")
    }
}
