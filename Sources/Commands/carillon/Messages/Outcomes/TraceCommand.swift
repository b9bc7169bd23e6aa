import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Shows why a device did or did not get a message.",
        discussion: """
            Examples:
              carillon message trace 42 17 --app com.example.game
              carillon message trace 42 --token 00fc13ad… --app com.example.game --json
              carillon message trace 43 --channel --app com.example.game

            The first line is the answer: delivered, refused, not sent and why, or
            waiting and for what. The facts follow: through what the device is in the
            audience, mute, language, silent-push budget, and the stored attempts with the provider's answers.
            apns-unique-id is what APNs calls the push: its Push Notifications Console finds it by this id.
            APNs gives one in the sandbox, and to broadcast pushes everywhere.
            """
    )

    @Argument(
        help: ArgumentHelp("The number of the message.", valueName: "message"), completion: NameCompletion.messages)
    var message: MessageID

    @Argument(help: ArgumentHelp("The device id.", valueName: "device"))
    var device: DeviceID?

    @Option(help: ArgumentHelp("The token, in hexadecimal, instead of a device id.", valueName: "hex"))
    var token: DeviceToken?

    @Flag(help: "The broadcast channel, instead of a device: of a message that was sent to one.")
    var channel = false

    @OptionGroup var app: AppOption

    @Option(help: "The environment of the token. Default: production.")
    var environment: APNsEnvironment?

    @Option(help: "The kind of the token. Default: device.")
    var kind: TokenKind?

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard [token != nil, device != nil, channel].count(where: { $0 }) == 1 else {
            throw ValidationError("Give the device by its id or by --token, or --channel: one of the three.")
        }
    }

    /// The device that is given; nil if no device is given.
    private var reference: DeviceReference? {
        if channel { return .id(.channel) }
        if let device { return .id(device) }
        return token.map { token in
            .address(DeviceAddress(environment: environment ?? .production, kind: kind ?? .device, token: token))
        }
    }

    func run() async throws {
        guard let reference else { return }
        try await server.run(for: app) { client, app in
            let trace = try await client.trace(message, device: reference, app: app)
            // A trace does not contain the audience; the sentence about its absence needs it.
            let audience =
                trace.addressing == .noRecipient ? try await client.status(of: message, app: app).audience : nil
            let now = Clock.wallTime()
            let explanation = trace.explanation(audience: audience, at: now)
            StandardOutput.printLine(
                server.json
                    ? trace.json(message, explanation: explanation).line
                    : explanation + "\n\n" + TwoColumnTable.text(of: trace.rows(message, at: now)))
        }
    }
}
