import Testing

@testable import carillon_load

/// The warnings of a report, and their reasons.
struct ResultNotesTests {
    @Test func `warnings name the reasons`() throws {
        var result = Runs.full(rate: 2_000)
        result.machine.loadBefore = 3
        result.settings.fileSystem = "tmpfs"
        result.connectionsLost = 2
        result.build = .debug
        result.usage[2].cpuSeconds = 9.9
        result.writeDelay.record(5_000_000, times: 1_000)
        result.operations[0].errors[LoadCounts.unanswered] = 500
        let notes = ResultNotes.all(on: result, wasInterrupted: true, hasOneClock: false, isLocal: true).joined(
            separator: "\n")
        let words = [
            "interrupted", "rate was not held", "500 requests were not answered", "ended 2 times", "--threads", "late",
            "had not arrived", "two machines", "on one machine", "not idle", "in memory",
            "The load tool is a debug build, the server may be one",
        ]
        for word in words { #expect(notes.contains(word), "\(word)") }
        #expect(ResultNotes.all(on: Runs.full(), wasInterrupted: false, hasOneClock: true, isLocal: false).count == 1)
    }

    /// The builds of the load tool and of the server, and what the report notes of them.
    struct Builds: CustomTestStringConvertible {
        let tool: Build
        var server: Build?
        var note: String?

        var testDescription: String { "\(tool) and \(server.map { "\($0)" } ?? "unknown")" }
    }

    @Test(
        arguments: [
            Builds(tool: .debug, server: .debug, note: "Server and load tool are debug builds"),
            Builds(tool: .release, server: .debug, note: "The server is a"),
            Builds(tool: .debug, server: .release, note: "The load tool is a debug build, the server is not"),
            Builds(tool: .release, server: .release),
            Builds(tool: .release),
        ])
    func `a report warns of a debug build`(_ builds: Builds) {
        // A run without requests: its page has no plots, which take most of the time.
        var result = Runs.empty()
        result.build = builds.tool
        result.serverBuild = builds.server
        result.notes = ResultNotes.all(on: result, wasInterrupted: false, hasOneClock: true, isLocal: false)
        for text in [Summary.text(of: result), RunPage.html(of: result)] {
            #expect(text.contains("debug build") == (builds.note != nil))
            if let note = builds.note { #expect(text.contains(note)) }
        }
    }

    /// The number of requests that are due is random, and the rate is only their average.
    @Test func `a rate is held if the requests that were due were answered`() {
        var result = Runs.full(rate: 1_200)
        #expect(result.isRateHeld)
        #expect(!result.notes.contains { $0.contains("not held") })
        result.operations[0].answered += 1_000
        #expect(!result.isRateHeld)
    }
}
