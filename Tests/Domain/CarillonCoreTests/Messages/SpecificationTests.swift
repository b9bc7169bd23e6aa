import CarillonCore
import Testing

/// The registries of the specification must be the same as the enumerations of the code.
struct SpecificationTests {
    @Test func `error codes are those of the specification`() throws {
        let rows = try Specification.table("## 15. Errors", column: "code")
        for row in rows {
            let number = try #require(UInt16(row[0]))
            #expect(ErrorCode(rawValue: number).name == row[1])
        }
        #expect(rows.compactMap { UInt16($0[0]) } == Array(1...28))
        for unknown: UInt16 in [0, 29, .max] { #expect(ErrorCode(rawValue: unknown).name == "UNKNOWN_\(unknown)") }
    }

    @Test func `environments are those of the specification`() throws {
        let names = APNsEnvironment.allCases.map { "\($0.rawValue) \($0.name)" }.joined(separator: ", ")
        let text = try Specification.text()
        #expect(text.contains("Environment: \(names)."))
        for environment in APNsEnvironment.allCases { #expect(APNsEnvironment(name: environment.name) == environment) }
        #expect(APNsEnvironment(name: "Production") == nil)
    }

    @Test func `token kinds take the push types of the specification`() throws {
        let rows = try Specification.table("### 16.3", column: "kind")
        for row in rows {
            let kind = try #require(UInt8(row[0]).flatMap(TokenKind.init(rawValue:)))
            #expect(kind.name == row[1])
            #expect(TokenKind(name: row[1]) == kind)
            let types = PushType.allCases.filter { $0.reaches(kind) }.map(\.name)
            #expect(types.joined(separator: ", ") == row[2])
            #expect(kind.provider.name == row[3])
        }
        #expect(rows.count == TokenKind.allCases.count)
        #expect(TokenKind(name: "") == nil)
    }

    @Test func `push types have the priorities of the specification`() throws {
        let rows = try Specification.table("### 16.4", column: "value")
        for row in rows {
            let type = try #require(UInt8(row[0]).flatMap(PushType.init(rawValue:)))
            #expect(type.name == row[1])
            #expect(PushType(name: row[1]) == type)
            #expect(String(type.usualPriority.rawValue) == row[2])
            #expect(type.priorities.map { String($0.rawValue) }.joined(separator: ", ") == row[3])
            #expect(type.maximumPayloadBytes == (row[4].contains("5,120 bytes") ? 5_120 : 4_096))
        }
        #expect(rows.count == PushType.allCases.count)
        #expect(PushType(name: "Alert") == nil)
    }

    /// A table of keys of `aps`, and the number of its rows.
    struct KeyTable: CustomTestStringConvertible {
        let heading: String
        let type: PushType
        let rows: Int

        var testDescription: String { heading }
    }

    /// `[1]` suits no key, so it is refused for each, by the name of the key.
    @Test(arguments: [
        KeyTable(heading: "#### 16.4.1", type: .alert, rows: 26),
        KeyTable(heading: "#### 16.4.2", type: .liveactivity, rows: 12),
    ])
    func `the keys of aps are those of the specification`(_ table: KeyTable) throws {
        let rows = try Specification.table(table.heading, column: "key of `aps`")
        #expect(rows.count == table.rows)
        for row in rows {
            let path = row[0].filter { $0 != "`" }.split(separator: ".")
            let wrong = path.dropFirst().reversed().reduce("[1]") { value, name in "{\"\(name)\":\(value)}" }
            let members =
                [("timestamp", "1"), ("event", #""update""#), ("content-state", "{}")]
                .filter { table.type == .liveactivity && $0.0 != path[0] } + [(String(path[0]), wrong)]
            let aps = members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
            let fault = #expect(throws: MessageError.self) {
                try MessageRules.checkPayload(Array("{\"aps\":{\(aps)}}".utf8), for: table.type)
            }
            #expect(fault?.field == "payload.aps." + path.joined(separator: "."))
        }
    }

    @Test func `the kinds of events are those of the specification`() throws {
        let rows = try Specification.table("### 16.6", column: "kind")
        for row in rows.dropFirst() {
            let kind = Event.Kind(rawValue: try #require(UInt16(row[0])))
            #expect(kind.description == row[1])
            #expect(Event.Kind(name: row[1]) == kind)
        }
        #expect(rows.compactMap { UInt16($0[0]) } == [0] + Event.Kind.all.map(\.rawValue))
        #expect(Event.Kind(name: "gap") == nil)
    }

    @Test func `outcomes are those of the specification`() throws {
        let rows = try Specification.table("### 16.5", column: "value")
        var names: [UInt8: String] = [:]
        for row in rows { UInt8(row[0]).map { names[$0] = row[1] } }
        #expect(names.count == 24)
        for value in UInt8.min ... .max {
            #expect(Outcome(rawValue: value).name == names[value] ?? "outcome-\(value)")
        }
    }
}
