import ArgumentParser
import CarillonClient
import CarillonCore
import Foundation

struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Registers a device, or many from a file.",
        discussion: """
            Examples:
              carillon register --app com.example.game --token 00fc13ad… --locale zh-Hant
              carillon register --app com.example.game --token 11aa… --replaces 00fc13ad…
              carillon register --app com.example.game --file devices.jsonl

            A file has one JSON object a line, with the names token, environment,
            kind, replaces, locale, time_zone, seen_at and app; all but token may be
            missing and are then as the options say. - is standard input. Lines that
            are refused are told with their number, the others are registered.
            """
    )

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @Option(help: ArgumentHelp("The token, in hexadecimal.", valueName: "hex"))
    var token: DeviceToken?

    @Option(help: ArgumentHelp("Registers what stands in this file.", valueName: "file.jsonl"))
    var file: String?

    @Option(help: "Which APNs the token belongs to. Without it production.")
    var environment: Environment?

    @Option(help: "What the token is good for. Without it device.")
    var kind: TokenKind?

    @Option(help: ArgumentHelp("The token that this one takes the place of.", valueName: "hex"))
    var replaces: DeviceToken?

    @Option(help: ArgumentHelp("A language tag; empty forgets it.", valueName: "tag"))
    var locale: String?

    @Option(help: ArgumentHelp("A time zone as Europe/Berlin; empty forgets it.", valueName: "zone"))
    var timeZone: String?

    @Option(
        help: ArgumentHelp(
            "When the app saw the token: 2026-07-01T12:00:00Z or milliseconds. Without it now.",
            valueName: "time"
        ),
        transform: { text in
            guard let time = Timestamp(text: text) else { throw ValidationError("'\(text)' is not a time.") }
            return time
        }
    )
    var seenAt: Timestamp?

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard (token == nil) != (file == nil) else {
            throw ValidationError("Say --token for one device or --file for many, one of the two.")
        }
        guard file == nil || replaces == nil else { throw ValidationError("--replaces belongs into the file.") }
    }

    func run() async throws {
        guard let token else { return try await registerFile() }
        let registration = registration(of: token)
        try await server.run { client in
            let device = try await client.register(registration)
            Terminal.say(
                server.json
                    ? JSON.members(["device_id": .number(device.id.rawValue), "result": .text("\(device.result)")]).line
                    : "device \(device.id)  \(device.result)"
            )
        }
    }

    private func registration(of token: DeviceToken) -> Registration {
        Registration(
            app: app,
            address: DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: token),
            seenAt: seenAt ?? .zero,
            replaces: replaces,
            locale: locale,
            timeZone: timeZone
        )
    }

    /// What a line takes from the options when it does not say it itself.
    private var template: RegistrationLine.Template {
        RegistrationLine.Template(
            app: app,
            environment: environment ?? .production,
            kind: kind ?? .device,
            seenAt: seenAt ?? .zero,
            locale: locale,
            timeZone: timeZone
        )
    }

    private func registerFile() async throws {
        guard let file, let lines = LineReader(path: file) else {
            throw ValidationError("The file \(file ?? "") cannot be read.")
        }
        let status = try await server.run { client in
            var run = RegistrationRun(client: client, lines: lines, template: template, isJSON: server.json)
            return try await run.run()
        }
        if status != .done { throw status }
    }
}

/// Goes through a file of registrations in batches.
private struct RegistrationRun {
    private static let batchCount = 1_000

    let client: CarillonClient
    var lines: LineReader
    let template: RegistrationLine.Template
    private var tally: RegistrationTally
    private var batch: [(line: Int, registration: Registration)] = []

    init(client: CarillonClient, lines: LineReader, template: RegistrationLine.Template, isJSON: Bool) {
        self.client = client
        self.lines = lines
        self.template = template
        tally = RegistrationTally(isJSON: isJSON)
    }

    mutating func run() async throws -> ExitStatus {
        while let text = lines.next() {
            guard !text.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) else { continue }
            switch RegistrationLine.parse(text, template) {
            case .success(let registration): batch.append((lines.number, registration))
            case .failure(let fault): tally.refuse(line: lines.number, fault)
            }
            if batch.count == Self.batchCount { try await registerBatch() }
        }
        try await registerBatch()
        tally.finish(wasCutShort: lines.hasFailed)
        if lines.hasFailed { return .usage }
        return tally.refused > 0 ? .refused : .done
    }

    private mutating func registerBatch() async throws {
        guard !batch.isEmpty else { return }
        let results = await client.register(batch.map(\.registration))
        for (item, result) in zip(batch, results) {
            switch result {
            case .success(let device): tally.take(line: item.line, device)
            case .failure(let error):
                // A failure of the connection befalls all lines: it ends the command, which says how far it came.
                guard ExitStatus(error) == .refused else {
                    tally.finish(wasCutShort: true)
                    throw error
                }
                tally.refuse(line: item.line, RegistrationLine.Fault(error))
            }
        }
        tally.showProgress()
        batch = []
    }
}
