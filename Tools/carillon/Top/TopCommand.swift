import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract:
            "Shows what the server does, live: rates, lanes, connections to APNs, messages on their way, failures.",
        discussion: """
            Examples:
              carillon top
              carillon top --interval 5s
              carillon top --once
              carillon top --once --json | jq .rates

            On a terminal it is a screen that is drawn anew each second; q or Control-C
            ends it. Without a terminal, or with --once, it is one look, for which two
            are taken, --interval apart, to know the rates. --json goes on with an object
            a look unless there is --once. The key needs the role observe or admin for
            every app (*); failures are those since it began, and need observe.
            """
    )

    /// How often a server may be asked.
    private static let intervals = UInt64(200)...3_600_000

    @Option(help: ArgumentHelp("The time between two looks, 200ms to 1h.", valueName: "time"))
    var interval = TimeSpan(milliseconds: 1_000)

    @Flag(help: "Looks once and ends.")
    var once = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard Self.intervals.contains(interval.milliseconds) else {
            throw ValidationError("--interval is 200ms to 1h.")
        }
    }

    func run() async throws {
        let place = try server.place()
        try await server.run { client in
            let interruption = Interruption()
            let failures = FailureLog()
            var screen = TopScreen(statistics: try await client.statistics(), place: place)
            let listening = Task { await failures.listen(to: client) }
            defer { listening.cancel() }
            if once || server.json || !Terminal.isScreen {
                repeat {
                    guard await pause(interruption) else { return }
                    screen.look(try await client.statistics(), failures)
                    show(screen)
                } while server.json && !once
            } else {
                try await live(screen, client, failures, interruption)
            }
        }
    }

    private func show(_ screen: TopScreen) {
        if server.json { return Terminal.say(screen.json.line) }
        for line in screen.lines(columns: Terminal.columnsOfOutput ?? 132) {
            Terminal.say(Terminal.ink.paint(line.text, line.style))
        }
    }

    private func live(
        _ first: TopScreen, _ client: CarillonClient, _ failures: FailureLog, _ interruption: Interruption
    ) async throws {
        let page = LiveScreen()
        defer { page.end() }
        var screen = first
        var size = page.size
        page.draw(screen.painted(size))
        while await pause(interruption, page, size) {
            size = page.size
            do {
                let now = try await client.statistics()
                screen.look(now, failures)
            } catch {
                guard error.mayPass else { throw error }
                // A server that starts again is waited for; the screen says so meanwhile.
                screen.trouble = "no fresh figures: \(error.message)"
            }
            page.draw(screen.painted(size))
        }
    }

    /// Waits until the next look; false if somebody wants an end. A terminal that changes its size is drawn at once.
    private func pause(_ interruption: Interruption, _ page: LiveScreen? = nil, _ size: LiveScreen.Size? = nil) async
        -> Bool
    {
        let end = ContinuousClock.now + interval.duration
        while ContinuousClock.now < end {
            guard !interruption.hasCome, page?.isQuitPressed() != true else { return false }
            if let page, page.size != size { return true }
            // Why: nobody cancels this task.
            try? await Task.sleep(for: min(.milliseconds(50), ContinuousClock.now.duration(to: end)))
        }
        return !interruption.hasCome
    }
}

extension TopScreen {
    /// The lines for a terminal of that size.
    fileprivate func painted(_ size: LiveScreen.Size) -> [String] {
        lines(columns: size.columns, rows: size.rows).map { Terminal.ink.paint($0.text, $0.style) }
    }

    /// Takes what the server told now.
    mutating func look(_ now: ServerStatistics, _ log: FailureLog) {
        // A look that comes at once, after a change of size, says nothing of rates.
        if now.at != statistics.at { rates = StatisticsRates(from: statistics, to: now) }
        statistics = now
        failures = log.latest
        failureNote = log.complaint
        trouble = nil
    }
}

extension CarillonError {
    /// Whether the same question may be answered later.
    fileprivate var mayPass: Bool { ExitStatus(self) == .unreachable || retryAfter != nil }
}
