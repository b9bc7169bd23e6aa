import ArgumentParser
import CarillonArguments
import CarillonClient
import CarillonClock
import CarillonCommandLine
import CarillonCore

struct ResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend",
        abstract: "Sends a finished message again to the devices that it did not reach.",
        discussion: """
            Examples:
              carillon message resend 42 --app com.example.game
              carillon message resend 42 --app com.example.game --outcome gave-up --watch

            Without --outcome it goes to all devices for which another attempt can help:
            not to those that were delivered to, and not to dead tokens and removed
            devices. It is a new message with the same content. The --not-after of the
            first message applies to it too; if that time is past, give another one.

            \(ExitStatus.explanation)
            """
    )

    @OptionGroup var message: MessageArguments

    @Option(
        help: ArgumentHelp("Only to devices of this outcome; may be repeated.", valueName: "outcome"),
        completion: .list(Outcome.names))
    var outcome: [Outcome] = []

    @Option(help: ArgumentHelp("After this time from now no attempt starts.", valueName: "time"))
    var notAfter: TimeSpan?

    @Option(help: ArgumentHelp("The idempotency key: sending twice with the same key sends once.", valueName: "uuid"))
    var key: UUIDBytes?

    @Flag(help: "Shows the progress until every device has its outcome.")
    var watch = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !outcome.contains(.delivered), !outcome.contains(.pending) else {
            throw ValidationError("--outcome \(outcome.contains(.pending) ? "pending" : "delivered") is not a failure.")
        }
        guard outcome.count <= 64 else { throw ValidationError("--outcome may be given at most 64 times.") }
    }

    func run() async throws {
        let key = key ?? .random()
        let limit = notAfter.map { Clock.wallTime().later(byMilliseconds: $0.milliseconds) }
        let missed = try await server.run(for: message.app) { client, app in
            let accepted = try await client.resend(
                message.id, app: app, to: outcome.isEmpty ? nil : outcome, notAfter: limit, key: .bytes(key))
            let again = accepted.isDuplicate ? ", accepted before" : ""
            StandardOutput.printLine(
                server.json
                    ? accepted.json(key).line : "message \(accepted.id)  \(Int(accepted.total).devices)\(again)")
            guard watch else { return false }
            return try await MessageWatch(accepted.id, app: app, client: client).run(isJSON: server.json)
                .hasMissed
        }
        if missed { throw ExitStatus.notAllDelivered }
    }
}
