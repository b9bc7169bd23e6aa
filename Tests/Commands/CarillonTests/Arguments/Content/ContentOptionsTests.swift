import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import carillon

/// The payload that the content options of `carillon send` make.
struct ContentOptionsTests {
    private let directory = TemporaryDirectory()

    private func payload(_ options: [String], type: PushType = .alert) throws -> String {
        let localized = try ContentOptions.parse(options).localized(for: type)
        return String(decoding: try #require(localized.payload), as: UTF8.self)
    }

    static let cases: [([String], String)] = [
        (["--body", "Hi"], #"{"aps":{"alert":"Hi"}}"#),
        (
            ["--title", "a", "--subtitle", "b", "--body", "c", "--launch-image", "d"],
            #"{"aps":{"alert":{"body":"c","launch-image":"d","subtitle":"b","title":"a"}}}"#
        ),
        (
            [
                "--title-loc-key", "T", "--subtitle-loc-key", "S", "--subtitle-loc-arg", "x", "--loc-key", "B",
                "--loc-arg", "1",
                "--loc-arg", "2",
            ],
            #"{"aps":{"alert":{"loc-args":["1","2"],"loc-key":"B","subtitle-loc-args":["x"],"subtitle-loc-key":"S","#
                + #""title-loc-key":"T"}}}"#
        ),
        (["--badge", "0", "--sound", "default"], #"{"aps":{"badge":0,"sound":"default"}}"#),
        (
            ["--critical", "--sound", "siren.caf", "--volume", "0.8"],
            #"{"aps":{"sound":{"critical":1,"name":"siren.caf","volume":0.8}}}"#
        ),
        (["--critical"], #"{"aps":{"sound":{"critical":1,"name":"default"}}}"#),
        (
            ["--thread-id", "t", "--category", "c", "--content-available", "--mutable-content", "--content-changed"],
            #"{"aps":{"category":"c","content-available":1,"content-changed":true,"mutable-content":1,"#
                + #""thread-id":"t"}}"#
        ),
        (
            [
                "--interruption-level", "time-sensitive", "--relevance-score", "0.5", "--target-content-id", "w",
                "--filter-criteria", "f",
            ],
            #"{"aps":{"filter-criteria":"f","interruption-level":"time-sensitive","relevance-score":0.5,"#
                + #""target-content-id":"w"}}"#
        ),
        (["--data", "raid=77", "--data", "q=a=b", "--data", "e="], #"{"e":"","q":"a=b","raid":"77"}"#),
        (["--payload", #" {"aps" : {} } "#], #" {"aps" : {} } "#),
    ]

    @Test(arguments: cases)
    func `options make a payload`(_ options: [String], _ payload: String) throws {
        #expect(try self.payload(options) == payload)
    }

    @Test(
        arguments: [
            (type: .background, options: ["--data", "a=b"], payload: #"{"a":"b","aps":{"content-available":1}}"#),
            (type: .background, options: [], payload: #"{"aps":{"content-available":1}}"#),
            (type: .widgets, options: [], payload: #"{"aps":{"content-changed":true}}"#),
            (type: .controls, options: [], payload: #"{"aps":{"content-changed":true}}"#),
            (type: .voip, options: ["--data", "call=1"], payload: #"{"call":"1"}"#),
        ] as [(type: PushType, options: [String], payload: String)])
    func `a push type brings what it must have`(
        _ content: (type: PushType, options: [String], payload: String)
    ) throws {
        #expect(try payload(content.options, type: content.type) == content.payload)
    }

    @Test(arguments: [
        (["--badge=-1"], "payload.aps.badge"), (["--critical", "--volume", "2"], "payload.aps.sound.volume"),
        (["--relevance-score", "nan"], "payload.aps.relevance-score"), (["--data", "aps=x"], "data.aps"),
    ])
    func `a fault names its field`(_ options: [String], _ field: String) {
        let error = #expect(throws: ValidationError.self) { try payload(options) }
        #expect(error?.message.contains(field) == true)
    }

    @Test(arguments: ["--data-json", "--payload-file", "--translations"])
    func `a file that cannot be read is named`(_ option: String) {
        let error = #expect(throws: CommandError.self) { try payload([option, "/no/such/file"]) }
        #expect(error?.message == "/no/such/file cannot be read: No such file or directory")
        let folder = #expect(throws: CommandError.self) { try payload([option, "/tmp"]) }
        #expect(folder?.message == "/tmp cannot be read: it is a directory")
    }

    @Test func `data of a file keep their types`() throws {
        let file = try directory.write(#"{"id": 9007199254740993, "list": [1.50, null]}"#)
        #expect(
            try payload(["--data-json", file, "--data", "a=b"])
                == #"{"a":"b","id":9007199254740993,"list":[1.5,null]}"#)
        #expect(throws: ValidationError.self) { try payload(["--data-json", file, "--data", "id=1"]) }
        try directory.write("[]")
        #expect(throws: CommandError.self) { try payload(["--data-json", file]) }
    }

    private func bodies(_ options: [String]) throws -> [String] {
        let localized = try ContentOptions.parse(options).localized(for: .alert)
        let bodies = localized.bodies.map { "\($0.language) \(String(decoding: $0.payload, as: UTF8.self))" }
        return [localized.payload.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"] + bodies
    }

    static let translated: [([String], [String])] = [
        (
            ["--title", "Hello", "--body", "x", "--badge", "1", "--title-in", "zh=你好", "--title-in", "de=Hallo"],
            [
                #"{"aps":{"alert":{"body":"x","title":"Hello"},"badge":1}}"#,
                #"de {"aps":{"alert":{"body":"x","title":"Hallo"},"badge":1}}"#,
                #"zh {"aps":{"alert":{"body":"x","title":"你好"},"badge":1}}"#,
            ]
        ),
        (
            ["--only-translations", "--body-in", "en=Hi"],
            ["nothing", #"en {"aps":{"alert":"Hi"}}"#]
        ),
        (
            ["--payload", #"{"aps":{"alert":"a"}}"#, "--payload-in", #"de={"aps":{"alert":"b=c"}}"#],
            [#"{"aps":{"alert":"a"}}"#, #"de {"aps":{"alert":"b=c"}}"#]
        ),
        (["--payload-in", "de={}", "--only-translations"], ["nothing", "de {}"]),
    ]

    @Test(arguments: translated)
    func `each language has its body`(_ options: [String], _ expected: [String]) throws {
        #expect(try bodies(options) == expected)
    }

    @Test func `a file has bodies of several languages`() throws {
        let file = try directory.write(#"{"zh": {"title": "你好", "body": "b"}, "de": {"subtitle": "c"}}"#)
        #expect(
            try bodies(["--title", "Hello", "--translations", file, "--title-in", "ZH=再见"])
                == [
                    #"{"aps":{"alert":{"title":"Hello"}}}"#,
                    #"de {"aps":{"alert":{"subtitle":"c","title":"Hello"}}}"#,
                    #"zh {"aps":{"alert":{"body":"b","title":"再见"}}}"#,
                ])
        try directory.write("{\n  \"zh\": ]")
        let error = #expect(throws: CommandError.self) { try bodies(["--title", "a", "--translations", file]) }
        #expect(error?.message == "\(file) is not JSON: line 2, column 9")
        for bad in [#"{"zh": 1}"#, #"{"zh": {"title": 1}}"#, #"{"zh": {"titel": "a"}}"#] {
            try directory.write(bad)
            #expect(throws: ValidationError.self) { try bodies(["--title", "a", "--translations", file]) }
        }
    }

    @Test func `an announcement has the given texts and is nil without any`() throws {
        #expect(try ContentOptions.parse([]).announcement() == nil)
        let announcement = try ContentOptions.parse(["--body", "a"]).announcement()
        #expect(announcement?.payload == LocalizedPayload(payload: Array(#"{"aps":{"alert":"a"}}"#.utf8), bodies: []))
    }
}
