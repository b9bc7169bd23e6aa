import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import CarillonTestKit
import CarillonWire
import Foundation
import Synchronization
import Testing

@testable import carillon

private let game = TestApps.game

/// Returns lines with the tokens of numbers.
private func lines(_ numbers: Range<Int>) -> String {
    numbers.map { #"{"token":"\#(token($0).hex)"}"# + "\n" }.joined()
}

private func token(_ number: Int) -> DeviceToken {
    DeviceToken((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })!
}

/// Returns the tokens that a server has not received. A failed comparison of the lists would print all tokens.
private func missing(_ tokens: [DeviceToken], in place: ImportPlace) -> [DeviceToken] {
    let received = Set(place.registrations.map(\.address.token))
    return tokens.filter { !received.contains($0) }
}

private func created(_ registration: Registration, _ count: Int) -> RegisterBatchItemAnswer? {
    .registered(DeviceID(rawValue: UInt64(count)), .created)
}

@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct ImportCommandTests {
    @Test func `refused lines are reported and the others are registered`() async throws {
        let place = try await ImportPlace { registration, count in
            registration.address.token == token(1_500) ? .refused(.stale) : created(registration, count)
        }
        try place.write(lines(0..<900) + "no\n\r\n" + lines(900..<2_000) + #"{"token":"a"}"#, to: "a.jsonl")
        #expect(try await place.run("a.jsonl") == .refused)
        #expect(missing((0..<2_000).map(token), in: place) == [])
        #expect(place.registrations.count == 2_000)
        #expect(
            place.read("a.jsonl.refused.jsonl") == """
                {"text":"no","refused":{"line":901,"code":"INVALID_LINE","message":"not JSON at byte 1"}}
                {"token":"000005dc","refused":{"line":1503,"code":"STALE","message":"something newer is stored"}}
                {"token":"a","refused":{"line":2003,"code":"INVALID_LINE","field":"token",\
                "message":"a byte has two hexadecimal digits, and this has 1"}}

                """
        )
        #expect(place.read("a.jsonl.import-state") == nil)
    }

    @Test func `a file of CSV is known by its name`() async throws {
        let place = try await ImportPlace(created)
        try place.write("\u{FEFF}token,platform,topics\r\naa,ios,level5;en\r\nbb,,\r\n", to: "a.csv")
        #expect(try await place.run("a.csv", ["--locale", "de"]) == .done)
        #expect(place.registrations.map(\.address.token.hex) == ["aa", "bb"])
        #expect(place.registrations.map(\.topics.count) == [2, 0])
        #expect(place.registrations.map(\.attributes) == [[AttributeChange(key: "platform", value: "ios")!], []])
        #expect(place.registrations.map(\.locale) == ["de", "de"])
        #expect(place.registrations.allSatisfy { $0.seenAt > .zero })
        #expect(place.read("a.csv.refused.csv") == nil)
    }

    @Test func `refused lines are imported once they are corrected`() async throws {
        let place = try await ImportPlace(created)
        try place.write(#"{"token":"zz","locale":"de"}"# + "\n{}\n[1]\n", to: "a.jsonl")
        #expect(try await place.run("a.jsonl") == .refused)
        let refused = try #require(place.read("a.jsonl.refused.jsonl"))
        #expect(refused.hasPrefix(#"{"token":"zz","locale":"de","refused":{"line":1,"#))
        // A line that is still wrong keeps one reason, the new one.
        try place.write(refused.replacing("zz", with: "aa", maxReplacements: 1), to: "b.jsonl")
        #expect(try await place.run("b.jsonl") == .refused)
        #expect(place.registrations.map(\.address.token.hex) == ["aa"])
        #expect(place.registrations.map(\.locale) == ["de"])
        #expect(
            place.read("b.jsonl.refused.jsonl") == """
                {"refused":{"line":2,"code":"INVALID_LINE","field":"token","message":"token is missing"}}
                {"text":"[1]","refused":{"line":3,"code":"INVALID_LINE","field":"text",\
                "message":"a registration has no such name"}}

                """)
    }

    @Test func `refused lines of CSV are imported once they are corrected`() async throws {
        let place = try await ImportPlace { registration, count in
            registration.address.token.hex == "cc" ? .refused(.stale) : created(registration, count)
        }
        try place.write("token,topics\nzz,\"a;b\"\naa\n\"cc\",\"x\"\ndd,\"x\n", to: "a.csv")
        #expect(try await place.run("a.csv") == .refused)
        let refused = try #require(place.read("a.csv.refused.csv"))
        #expect(
            refused == """
                token,topics,refused
                zz,"a;b",line 2: token: 'z' is not a hexadecimal digit
                aa,line 3: 1 values; the first line names 2
                "cc","x",line 4: something newer is stored
                dd,"x,line 5: a quotation mark is not closed on the line

                """)
        try place.write(
            refused.replacing("zz,", with: "bb,").replacing("\naa,", with: "\naa,,"), to: "b.csv")
        #expect(try await place.run("b.csv") == .refused)
        #expect(place.registrations.map(\.address.token.hex) == ["aa", "bb", "cc", "cc"])
        #expect(
            place.read("b.csv.refused.csv") == """
                token,topics,refused
                cc,x,line 4: something newer is stored
                dd,"x,line 5: a quotation mark is not closed on the line,\
                line 5: a quotation mark is not closed on the line

                """)
    }

    @Test func `the file of refusals is not the file that is read`() async throws {
        let place = try await ImportPlace(created)
        try place.write(lines(0..<1), to: "a.jsonl")
        let path = place.directory.path + "/a.jsonl"
        await #expect(throws: CommandError.self) { _ = try await place.run("a.jsonl", ["--refused", path]) }
        #expect(place.read("a.jsonl") != nil)
    }

    @Test(arguments: [1, 4])
    func `an interrupted import continues where it stopped`(inFlight: Int) async throws {
        let options = ["--in-flight", "\(inFlight)"]
        let first = try await ImportPlace { $1 >= 3_000 ? nil : created($0, $1) }
        try first.write("bad\n" + lines(1..<9_000) + "bad\n", to: "a.jsonl")
        #expect(try await first.run("a.jsonl", options) == .unreachable)
        let state = try first.state(of: "a.jsonl")
        // What follows a batch that was not answered is not counted, answered or not.
        #expect((0...3_000).contains(state.lines))
        #expect(state.refused == (state.lines > 0 ? 1 : 0))
        #expect(state.registered == state.lines - state.refused)

        let second = try await ImportPlace(after: first, created)
        #expect(try await second.run("a.jsonl", options) == .refused)
        let rest = (max(state.lines, 1)..<9_000).map(token)
        #expect(missing(rest, in: second) == [])
        #expect(second.registrations.count == rest.count)
        // A line that was sent before is not newer for it.
        #expect(second.registrations.allSatisfy { $0.seenAt.milliseconds == state.startedAt })
        #expect(
            second.read("a.jsonl.refused.jsonl")?.split(separator: "\n").map { $0.prefix(35) } == [
                #"{"text":"bad","refused":{"line":1,""#, #"{"text":"bad","refused":{"line":900"#,
            ])
        #expect(second.read("a.jsonl.import-state") == nil)
    }

    /// Imports a file of 3,000 lines to a server that ends after 1,000.
    private func placeOfInterruptedImport() async throws -> ImportPlace {
        let place = try await ImportPlace { $1 >= 1_000 ? nil : created($0, $1) }
        try place.write(lines(0..<3_000), to: "a.jsonl")
        #expect(try await place.run("a.jsonl", ["--in-flight", "1"]) == .unreachable)
        return place
    }

    @Test func `an import is not continued with other options`() async throws {
        let place = try await placeOfInterruptedImport()
        let error = await #expect(throws: ValidationError.self) {
            _ = try await place.run("a.jsonl", ["--locale", "de"])
        }
        #expect(error?.message.contains("other options") == true)
    }

    @Test func `an import is not continued with another file unless it is restarted`() async throws {
        let place = try await placeOfInterruptedImport()
        try place.write(lines(1..<3_000), to: "a.jsonl")
        let error = await #expect(throws: ValidationError.self) { _ = try await place.run("a.jsonl") }
        #expect(error?.message.contains("--restart") == true)
        let next = try await ImportPlace(after: place, created)
        #expect(try await next.run("a.jsonl", ["--restart"]) == .done)
        #expect(next.registrations.count == 2_999)
    }

    @Test func `a file that is no state of an import is refused`() async throws {
        let place = try await ImportPlace(created)
        try place.write(lines(0..<3_000), to: "a.jsonl")
        try place.write("{}", to: "a.jsonl.import-state")
        let error = await #expect(throws: ValidationError.self) { _ = try await place.run("a.jsonl") }
        #expect(error?.message.contains("not the state of an import") == true)
    }

    @Test func `a line that the server puts off is sent again`() async throws {
        let place = try await ImportPlace { $1 < 3 ? .refused(.rateLimited) : created($0, $1) }
        try place.write(lines(0..<5), to: "a.jsonl")
        #expect(try await place.run("a.jsonl") == .done)
        #expect(place.registrations.map(\.address.token) == [0, 0, 1, 1, 2, 2, 3, 4].map(token))
    }

    @Test func `an import without the role ends after the first refusals`() async throws {
        let place = try await ImportPlace { _, _ in .refused(.forbidden) }
        try place.write(lines(0..<5_000), to: "a.jsonl")
        #expect(try await place.run("a.jsonl", ["--in-flight", "2"]) == .refused)
        #expect(place.registrations.count <= 2_000)
        #expect(place.read("a.jsonl.refused.jsonl") == nil)
        #expect(place.read("a.jsonl.import-state") != nil)
    }

    /// Makes an import of a file with two batches in flight.
    private func makeImport(of path: String, by client: CarillonClient, savedIn stateFile: ImportStateFile) throws
        -> Import
    {
        let state = ImportState(file: "", options: "", startedAt: 1)
        let settings = ImportSettings(
            lineFormat: .json, template: RegistrationLine.Template(app: game), maximumInFlight: 2, stateFile: stateFile)
        let report = try RefusalReport(path: path + ".refused.jsonl", format: .json, state: state)
        return Import(
            client: client, settings: settings, reader: try LineReader(path: path), report: report, state: state)
    }

    @Test func `an interrupted import returns the state of the lines that are done`() async throws {
        let place = try await ImportPlace(created)
        try place.write(lines(0..<5_000), to: "a.jsonl")
        let path = place.directory.path + "/a.jsonl"
        let client = CarillonClient(
            configuration: .init(address: .tcp(host: "127.0.0.1", port: place.server.port), security: .plaintext))
        let stateFile = ImportStateFile(path: path + ".import-state")
        var run = try makeImport(of: path, by: client, savedIn: stateFile)
        let questions = Mutex(0)
        let isAtEnd = try await run.run {
            questions.withLock { count in
                count += 1
                return count > 2
            }
        }
        #expect(!isAtEnd)
        #expect(run.state.lines == 2_000)
        #expect(try stateFile.load() == run.state)
        await client.close()
    }

    @Test func `a file that is missing or has no header is refused`() async throws {
        let place = try await ImportPlace(created)
        try place.write("", to: "empty.csv")
        for name in ["no-such-file", "empty.csv"] {
            await #expect(throws: CommandError.self) { _ = try await place.run(name) }
        }
    }

    @Test func `a header without devices is misuse`() async throws {
        let place = try await ImportPlace(created)
        try place.write("locale\n", to: "a.csv")
        await #expect(throws: ValidationError.self) { _ = try await place.run("a.csv") }
    }

    @Test func `an import of a file without lines succeeds`() async throws {
        let place = try await ImportPlace(created)
        try place.write("", to: "empty.jsonl")
        #expect(try await place.run("empty.jsonl") == .done)
    }

    @Test func `a state file that cannot be written is misuse`() async throws {
        let place = try await ImportPlace(created)
        try place.write("", to: "empty.jsonl")
        let error = await #expect(throws: ValidationError.self) {
            _ = try await place.run("empty.jsonl", ["--state", "/no/such/place"])
        }
        #expect(error?.message.contains("--state FILE") == true)
    }
}
