import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Registers the devices of a file, up to many millions.",
        discussion: """
            Examples:
              carillon import --app com.example.game devices.jsonl
              carillon import --app com.example.game devices.csv --in-flight 16
              zcat devices.jsonl.gz | carillon import --app com.example.game -

            JSON Lines: one object a line. Only token is required; other members are
            taken from the options, or not set.

              {"token":"00fc…","environment":"sandbox","kind":"device","locale":"de",
               "time_zone":"Europe/Berlin","seen_at":"2026-07-01T12:00:00Z",
               "platform":"ios","attributes":{"tier":"gold"},
               "topics":["level5","guild/77"],"groups":["user/42"]}

            on one line; also replaces (a token) and app. Tokens of kind fcm and fid are
            written as they stand, all others in hexadecimal. seen_at may be milliseconds.
            CSV: the first line names the columns; lists are written level5;guild/77,
            attributes tier=gold;beta=1 or in separate columns (attributes.tier). An
            empty value counts as missing.

            Refused lines do not stop the import: they are written to
            FILE.refused.jsonl, or FILE.refused.csv, each with the reason in a member or
            column "refused". import ignores that name: mend the lines and import the file.
            After an interruption (Control-C,
            kill, no server) the same command continues at the right line: the state is
            in FILE.import-state, which is removed at the end. It is safe to send a line
            twice. Batches may overtake each other: if a token is on two lines, seen_at
            decides which one wins (or use --in-flight 1).

            \(ExitStatus.explanation)
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl, csv
    }

    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var app: AppOption

    @Option(help: "The format of the lines. Default: by the name of the file, else jsonl.")
    var format: Format?

    @Option(help: "The environment of tokens whose line has none. Default: production.")
    var environment: APNsEnvironment?

    @Option(help: "The kind of tokens whose line has none. Default: device.")
    var kind: TokenKind?

    @Option(help: ArgumentHelp("The language of devices whose line has none.", valueName: "tag"))
    var locale: String?

    @Option(help: ArgumentHelp("The time zone of devices whose line has none.", valueName: "zone"))
    var timeZone: String?

    @Option(
        help: ArgumentHelp(
            "When the app received tokens whose line has no time. Default: the start of the import.",
            valueName: "time"
        )
    )
    var seenAt: TimeArgument?

    @Option(help: ArgumentHelp("Batches of 1,000 lines in flight at once, 1 to 64.", valueName: "count"))
    var inFlight = 16

    @Flag(help: "Starts again, and ignores the state of an interrupted import.")
    var restart = false

    @Option(
        help: ArgumentHelp("The file of the state. Default: FILE.import-state.", valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        help: ArgumentHelp(
            "The file for refused lines. Default: FILE.refused.jsonl or .csv, for - stdin.refused.jsonl or .csv.",
            valueName: "file"
        ),
        completion: .file()
    )
    var refused: String?

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard (1...64).contains(inFlight) else { throw ValidationError("--in-flight is 1 to 64.") }
        guard file != "-" || state == nil else {
            throw ValidationError("An import from standard input cannot be continued: no --state.")
        }
    }

    func run() async throws {
        guard reportPath != file else {
            throw CommandError.unusable("\(file) cannot be read and be the file of refusals")
        }
        let app = try server.app(app)
        var reader = try LineReader(path: file)
        let stateFile = reader.length == nil ? nil : ImportStateFile(path: self.state ?? file + ".import-state")
        var state = try initialState(app: app, length: reader.length, stateFile: stateFile)
        let formats = try readFormats(&reader)
        try skipDoneLines(of: &reader, state: &state)
        let report = try RefusalReport(path: reportPath, format: formats.report, state: state)
        let settings = ImportSettings(
            lineFormat: formats.lines, template: template(app: app, startedAt: state.startedAt),
            maximumInFlight: inFlight, stateFile: stateFile)
        // It catches signals until the client is closed.
        let interruption = Interruption()
        let ending = try await server.run { client in
            let newImport = Import(client: client, settings: settings, reader: reader, report: report, state: state)
            return try await run(newImport, until: interruption)
        }
        show(ending.state, isAtEnd: ending.status != .interrupted)
        if ending.status != .done { throw ending.status }
    }

    /// Returns the state of an interrupted import of the same file with the same options, else that of a new import.
    private func initialState(app: AppID, length: UInt64?, stateFile: ImportStateFile?) throws -> ImportState {
        let new = ImportState(
            file: length.flatMap { ImportState.fingerprint(of: file, length: $0) } ?? "",
            options: options(app: app),
            startedAt: Clock.wallTime().milliseconds
        )
        guard !restart, let stored = try stateFile?.load() else { return new }
        try check(stored, against: new)
        return stored
    }

    /// Moves the reader past the lines that an interrupted import has done. A new import begins where the reader is.
    private func skipDoneLines(of reader: inout LineReader, state: inout ImportState) throws {
        if state.offset > 0 {
            try reader.skip(to: state.offset, lines: state.lines)
            StandardError.printLine("continues after line \(state.lines.grouped); --restart starts again")
        } else {
            state.offset = reader.offset
            state.lines = reader.lines
        }
    }

    /// Runs an import until the end of the file or an interruption, and returns what it has done. After an error, it
    /// shows what was done before.
    private func run(
        _ newImport: Import, until interruption: Interruption
    ) async throws -> (status: ExitStatus, state: ImportState) {
        var running = newImport
        do {
            let isAtEnd = try await running.run { interruption.hasOccurred }
            guard isAtEnd else { return (.interrupted, running.state) }
            return (running.state.refused > 0 ? .refused : .done, running.state)
        } catch {
            show(running.state, isAtEnd: false)
            throw error
        }
    }

    private var reportPath: String {
        refused ?? (file == "-" ? "stdin" : file) + ".refused." + (isCSV ? "csv" : "jsonl")
    }

    /// Returns the options that must be the same in a state and in this command.
    private func options(app: AppID) -> String {
        let parts = [
            app.name, environment?.name, kind?.name, locale, timeZone, seenAt.map { "\($0.time.milliseconds)" },
            isCSV ? "csv" : "jsonl",
        ]
        return parts.map { $0 ?? "-" }.joined(separator: " ")
    }

    private var isCSV: Bool { format.map { $0 == .csv } ?? file.lowercased().hasSuffix(".csv") }

    private func check(_ stored: ImportState, against state: ImportState) throws {
        guard stored.file == state.file else {
            throw ValidationError(
                "\(file) is not the file of the interrupted import; --restart starts again.")
        }
        guard stored.options == state.options else {
            throw ValidationError(
                "The interrupted import had other options (\(stored.options)); --restart starts again.")
        }
    }

    /// Returns the formats of the lines and of the report; of CSV, reads the line that names the columns.
    private func readFormats(
        _ reader: inout LineReader
    ) throws -> (lines: LineFormat, report: RefusalReport.Format) {
        guard isCSV else { return (.json, .json) }
        guard var header = try reader.next(1)?.bytes else { throw CommandError.unusable("\(file) is empty") }
        while header.last == 0x0A || header.last == 0x0D { header.removeLast() }
        return (try .csv(header: header), .csv(header: header))
    }

    private func template(app: AppID, startedAt: UInt64) -> RegistrationLine.Template {
        RegistrationLine.Template(
            app: app,
            environment: environment ?? .production,
            kind: kind ?? .device,
            seenAt: seenAt?.time ?? Timestamp(milliseconds: startedAt),
            locale: locale,
            timeZone: timeZone
        )
    }

    private func show(_ state: ImportState, isAtEnd: Bool) {
        if server.json {
            return StandardOutput.printLine(
                state.json(report: state.refused > 0 ? reportPath : nil, isAtEnd: isAtEnd).line)
        }
        let kinds = [RegisterResultKind.created, .refreshed, .replaced].compactMap { result in
            state.results["\(result)"].map { "\($0.grouped) \(result)" }
        }
        let detail = kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))"
        let report = state.refused > 0 ? "; see \(reportPath)" : ""
        StandardOutput.printLine(
            "registered \(state.registered.grouped)\(detail), refused \(state.refused.grouped)\(report)")
        guard !isAtEnd else { return }
        let advice = file == "-" ? "" : "; the same command continues there"
        StandardError.printLine("not finished: \(state.lines.grouped) lines are done\(advice)")
    }
}

extension ImportState {
    /// Returns the result as JSON; its names are stable.
    fileprivate func json(report: String?, isAtEnd: Bool) -> JSON {
        .members([
            "finished": .bool(isAtEnd),
            "lines": .number(UInt64(lines)),
            "registered": .number(UInt64(registered)),
            "results": .object(
                results.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: .number(UInt64($0.value))) }),
            "refused": .number(UInt64(refused)),
            "report": report.map { .text($0) },
        ])
    }
}
