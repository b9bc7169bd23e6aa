import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore
import Foundation

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Registers the devices of a file, millions of them if need be.",
        discussion: """
            Examples:
              carillon import --app com.example.game devices.jsonl
              carillon import --app com.example.game devices.csv --in-flight 16
              zcat devices.jsonl.gz | carillon import --app com.example.game -

            JSON Lines: one object a line. Only token must be there; the rest is as
            the options say, or unknown.

              {"token":"00fc…","environment":"sandbox","kind":"device","locale":"de",
               "time_zone":"Europe/Berlin","seen_at":"2026-07-01T12:00:00Z",
               "platform":"ios","attributes":{"tier":"gold"},
               "topics":["level5","guild/77"],"groups":["user/42"]}

            on one line; replaces (a token) and app as well. seen_at may also be
            milliseconds. CSV: the first line names the columns; lists are written
            level5;guild/77, attributes tier=gold;beta=1 or in columns of their own
            (attributes.tier). An empty value is as if it were not there.

            Lines that are refused do not stop it: FILE.refused.jsonl says which and
            why. After an interruption (Control-C, kill, no server) the same command
            goes on where it was: FILE.import-state knows, and is gone when all is
            done. Lines that are sent twice do no harm. Batches overtake each other: if
            a token stands twice, seen_at says which line wins (or --in-flight 1).

            \(ExitStatus.explanation)
            """
    )

    /// What stands on the lines.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case jsonl, csv
    }

    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: "What stands on the lines. Without it what the name of the file says, else jsonl.")
    var format: Format?

    @Option(help: "Which APNs a token belongs to whose line does not say it. Without it production.")
    var environment: Environment?

    @Option(help: "What a token is good for whose line does not say it. Without it device.")
    var kind: TokenKind?

    @Option(help: ArgumentHelp("The language of devices whose line has none.", valueName: "tag"))
    var locale: String?

    @Option(help: ArgumentHelp("The time zone of devices whose line has none.", valueName: "zone"))
    var timeZone: String?

    @Option(
        help: ArgumentHelp(
            "When the app saw tokens whose line does not say it. Without it when the import begins.",
            valueName: "time"
        )
    )
    var seenAt: TimeArgument?

    @Option(help: ArgumentHelp("Batches of 1,000 under way at once, 1 to 64.", valueName: "count"))
    var inFlight = 16

    @Flag(help: "Begins anew, whatever an interrupted import has left.")
    var restart = false

    @Option(
        help: ArgumentHelp("Where the state is kept. Without it FILE.import-state.", valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        help: ArgumentHelp(
            "Where refused lines are told. Without it FILE.refused.jsonl, for - stdin.refused.jsonl.", valueName: "file"
        ),
        completion: .file()
    )
    var refused: String?

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard (1...64).contains(inFlight) else { throw ValidationError("--in-flight is 1 to 64.") }
        guard file != "-" || state == nil else {
            throw ValidationError("Standard input cannot be gone on with: no --state.")
        }
    }

    func run() async throws {
        guard var reader = LineReader(path: file) else { throw ValidationError("The file \(file) cannot be read.") }
        var state = ImportState(
            file: reader.length.flatMap { ImportState.fingerprint(of: file, length: $0) } ?? "",
            options: options,
            startedAt: Timestamp.now.milliseconds
        )
        let stateFile = reader.length == nil ? nil : ImportStateFile(path: self.state ?? file + ".import-state")
        if !restart, let left = try stateFile?.load() {
            try check(left, against: state)
            state = left
        }
        let form = try readForm(&reader)
        if state.offset > 0 {
            try reader.skip(to: state.offset, lines: state.lines)
            Terminal.complain("goes on after line \(state.lines.grouped); --restart begins anew")
        } else {
            (state.offset, state.lines) = (reader.offset, reader.lines)
        }
        let report = try RefusalReport(path: reportPath, byteCount: state.reportBytes)
        let (status, final) = try await run(reader, form, report, stateFile, state)
        show(final, isAtEnd: status != .interrupted)
        if status != .done { throw status }
    }

    private func run(
        _ reader: LineReader,
        _ form: LineForm,
        _ report: RefusalReport,
        _ stateFile: ImportStateFile?,
        _ state: ImportState
    ) async throws -> (ExitStatus, ImportState) {
        let interruption = Interruption()
        return try await server.run { client in
            var run = Import(
                client: client,
                form: form,
                template: template(state),
                inFlight: inFlight,
                stateFile: stateFile,
                reader: reader,
                report: report,
                state: state
            )
            do {
                let isAtEnd = try await run.run { interruption.hasCome }
                guard isAtEnd else { return (.interrupted, run.state) }
                return (run.state.refused > 0 ? .refused : .done, run.state)
            } catch {
                show(run.state, isAtEnd: false)
                throw error
            }
        }
    }

    private var reportPath: String { refused ?? (file == "-" ? "stdin" : file) + ".refused.jsonl" }

    /// What a state must have in common with this command.
    private var options: String {
        let parts = [
            app.name, environment?.name, kind?.name, locale, timeZone, seenAt.map { "\($0.time.milliseconds)" },
            isCSV ? "csv" : "jsonl",
        ]
        return parts.map { $0 ?? "-" }.joined(separator: " ")
    }

    private var isCSV: Bool { format.map { $0 == .csv } ?? file.lowercased().hasSuffix(".csv") }

    private func check(_ left: ImportState, against state: ImportState) throws {
        guard left.file == state.file else {
            throw ValidationError(
                "\(file) is not the file that an interrupted import has begun; --restart begins anew.")
        }
        guard left.options == state.options else {
            throw ValidationError("An interrupted import had other options (\(left.options)); --restart begins anew.")
        }
    }

    private func readForm(_ reader: inout LineReader) throws -> LineForm {
        guard isCSV else { return .json }
        guard var header = try reader.next(1)?.bytes else { throw ValidationError("The file \(file) is empty.") }
        while header.last == 0x0A || header.last == 0x0D { header.removeLast() }
        return try .csv(header: header)
    }

    private func template(_ state: ImportState) -> RegistrationLine.Template {
        RegistrationLine.Template(
            app: app,
            environment: environment ?? .production,
            kind: kind ?? .device,
            seenAt: seenAt?.time ?? Timestamp(milliseconds: state.startedAt),
            locale: locale,
            timeZone: timeZone
        )
    }

    private func show(_ state: ImportState, isAtEnd: Bool) {
        if server.json {
            return Terminal.say(state.json(report: state.refused > 0 ? reportPath : nil, isAtEnd: isAtEnd).line)
        }
        let kinds = [RegistrationResult.created, .refreshed, .replaced].compactMap { result in
            state.results["\(result)"].map { "\($0.grouped) \(result)" }
        }
        let detail = kinds.isEmpty ? "" : " (\(kinds.joined(separator: ", ")))"
        let report = state.refused > 0 ? "; \(reportPath) says why" : ""
        Terminal.say("registered \(state.registered.grouped)\(detail), refused \(state.refused.grouped)\(report)")
        guard !isAtEnd else { return }
        let advice = file == "-" ? "" : "; the same command goes on there"
        Terminal.complain("not finished: \(state.lines.grouped) lines are done\(advice)")
    }
}

extension ImportState {
    /// The result with stable names.
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
