import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract:
            "Shows the server's activity live: rates, lanes, connections to providers, unfinished messages, failures.",
        discussion: """
            Examples:
              carillon top
              carillon top --interval 5s
              carillon top --once
              carillon top --once --json | jq .rates

            On a terminal the screen is redrawn each second; ? shows the keys, q or
            Control-C ends it.
            Without a terminal, or with --once, the command takes two samples, --interval
            apart, and prints the rates between them once. --json prints an object for
            each sample; with --once only one. The key needs the role observe or admin
            for every app (*); failures are those since the start of the command, and
            need observe.
            """
    )

    private static let allowedMilliseconds = 200...Milliseconds.perHour

    @Option(help: ArgumentHelp("The time between two samples, 200ms to 1h.", valueName: "time"))
    var interval = TimeSpan(milliseconds: 1_000)

    @Flag(help: "Prints once and ends.")
    var once = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard Self.allowedMilliseconds.contains(interval.milliseconds) else {
            throw ValidationError("--interval is 200ms to 1h.")
        }
    }

    func run() async throws {
        let serverName = try server.serverName()
        try await server.run { client in
            let interruption = Interruption()
            let failures = FailureLog()
            var screen = TopScreen(statistics: try await client.statistics(), serverName: serverName)
            let listening = Task { await failures.listen(to: client) }
            defer { listening.cancel() }
            if once || server.json || !StandardOutput.isTerminal {
                repeat {
                    guard await pause(interruption) else { return }
                    screen.update(to: try await client.statistics(), failures: failures)
                    show(screen)
                } while server.json && !once
            } else {
                try await live(screen, client: client, failures: failures, interruption: interruption)
            }
        }
    }

    private func show(_ screen: TopScreen) {
        if server.json { return StandardOutput.printLine(screen.json.line) }
        for line in screen.lines(columns: StandardOutput.columns ?? 132) {
            StandardOutput.printLine(StandardOutput.colors.apply(line.style, to: line.text))
        }
    }

    private func live(
        _ first: TopScreen, client: CarillonClient, failures: FailureLog, interruption: Interruption
    ) async throws {
        let page = LiveScreen()
        defer { page.end() }
        var screen = first
        var next = ContinuousClock.now + interval.duration
        while !screen.view.hasEnded, !interruption.hasOccurred {
            let size = page.size
            page.draw(screen.painted(size))
            await waitForChange(of: &screen.view, until: next, interruption: interruption, page: page, size: size)
            guard !screen.view.hasEnded, ContinuousClock.now >= next else { continue }
            next = ContinuousClock.now + interval.duration
            guard !screen.view.isPaused else { continue }
            do {
                screen.update(to: try await client.statistics(), failures: failures)
            } catch {
                guard error.isTemporary else { throw error }
                // The server may be restarting: the command waits for it, and the screen says so.
                screen.staleReason = "no fresh statistics: \(error.message)"
            }
        }
    }

    /// Waits until the next sample, or until a key or another size of the terminal changes the screen.
    private func waitForChange(
        of view: inout TopView, until end: ContinuousClock.Instant, interruption: Interruption, page: LiveScreen,
        size: LiveScreen.Size
    ) async {
        let before = view
        while ContinuousClock.now < end, !interruption.hasOccurred, page.size == size, view == before {
            for key in page.keys() { view.press(key) }
            guard view == before else { return }
            // Why try?: this task is never cancelled.
            try? await Task.sleep(for: min(.milliseconds(50), ContinuousClock.now.duration(to: end)))
        }
    }

    /// Waits until the next sample; returns false if the user wants to end.
    private func pause(_ interruption: Interruption) async -> Bool {
        // Why try?: this task is never cancelled.
        try? await interruption.sleep(for: interval.duration)
        return !interruption.hasOccurred
    }
}

extension TopScreen {
    /// Returns the lines for a terminal of that size.
    fileprivate func painted(_ size: LiveScreen.Size) -> [String] {
        livePage(columns: size.columns, rows: size.rows).map { StandardOutput.colors.apply($0.style, to: $0.text) }
    }

    /// Shows a new sample.
    mutating func update(to now: ServerStatistics, failures log: FailureLog) {
        // Two samples of the same time, after a change of size, give no rates.
        if now.at != statistics.at {
            rates = StatisticsRates(from: statistics, to: now)
            if let rates { history.add(rates.ended) }
        }
        statistics = now
        failures = log.latest
        failureNote = log.refusal
        staleReason = nil
    }
}

extension CarillonError {
    /// True if the same request may succeed later.
    fileprivate var isTemporary: Bool { ExitStatus(self) == .unreachable || retryAfter != nil }
}
