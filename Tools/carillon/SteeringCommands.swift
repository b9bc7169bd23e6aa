import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Sends a message to nobody more; who has no outcome yet ends as cancelled.",
        discussion: """
            Examples:
              carillon message cancel 42 --app com.example.game
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await message.updateMessage(.cancel, server) }
}

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Holds a message until it is resumed, also over a restart of the server.",
        discussion: """
            Examples:
              carillon message pause 42 --app com.example.game
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await message.updateMessage(.pause, server) }
}

struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Goes on after a pause; a scheduled message starts now.",
        discussion: """
            Examples:
              carillon message resume 42 --app com.example.game
            """
    )

    @OptionGroup var message: MessageArguments
    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws { try await message.updateMessage(.resume, server) }
}

struct PaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pace",
        abstract: "Bounds how many deliveries of a message are made a second.",
        discussion: """
            Examples:
              carillon message pace 42 500 --app com.example.game
              carillon message pace 42 none --app com.example.game
            """
    )

    /// A number of deliveries a second, or none.
    enum Bound: ExpressibleByArgument, Equatable {
        case none
        case perSecond(UInt32)

        init?(argument: String) {
            if argument == "none" {
                self = .none
            } else if let number = UInt32(argument), number > 0 {
                self = .perSecond(number)
            } else {
                return nil
            }
        }
    }

    @Argument(help: ArgumentHelp("The number of the message.", valueName: "message"))
    var id: MessageID

    @Argument(help: ArgumentHelp("Deliveries a second at most, or none for no bound.", valueName: "count|none"))
    var bound: Bound

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        var pace: UInt32?
        if case .perSecond(let number) = bound { pace = number }
        try await server.updateMessage(id, app, .pace(pace))
    }
}

struct ResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend",
        abstract: "Sends a finished message again, to those that it has failed to reach.",
        discussion: """
            Examples:
              carillon message resend 42 --app com.example.game
              carillon message resend 42 --app com.example.game --outcome gave-up --watch

            Without --outcome it goes to all that a second try can help: not to those
            delivered to, and not where the token is dead or the device is gone. It is a
            message of its own, with the same content. If it was sent with --not-after,
            that time holds for it too; once it is past, another must be named.

            \(ExitStatus.explanation)
            """
    )

    @OptionGroup var message: MessageArguments

    @Option(help: ArgumentHelp("Only to devices of this outcome; may be repeated.", valueName: "outcome"))
    var outcome: [Outcome] = []

    @Option(help: ArgumentHelp("After this time from now no attempt starts.", valueName: "time"))
    var notAfter: TimeSpan?

    @Option(help: ArgumentHelp("The idempotency key: sending twice with one key sends once.", valueName: "uuid"))
    var key: UUIDBytes?

    @Flag(help: "Shows how far it has come until every device has its outcome.")
    var watch = false

    @OptionGroup(title: "Server") var server: ServerOptions

    func validate() throws {
        guard !outcome.contains(.delivered), !outcome.contains(.pending) else {
            throw ValidationError("--outcome \(outcome.contains(.pending) ? "pending" : "delivered") has not failed.")
        }
        guard outcome.count <= 64 else { throw ValidationError("--outcome may be given 64 times.") }
    }

    func run() async throws {
        let key = key ?? .random()
        let limit = notAfter.map { Timestamp.now.advanced(byMilliseconds: $0.milliseconds) }
        let missed = try await server.run { client in
            let accepted = try await client.resend(
                message.id, app: message.app, to: outcome, notAfter: limit, key: key)
            let again = accepted.isDuplicate ? ", accepted before" : ""
            Terminal.say(
                server.json
                    ? accepted.json(key).line : "message \(accepted.id)  \(Int(accepted.total).devices)\(again)")
            guard watch else { return false }
            return try await MessageWatch(accepted.id, message.app, client).run(isJSON: server.json).hasMissed
        }
        if missed { throw ExitStatus.notAllDelivered }
    }
}

extension MessageArguments {
    fileprivate func updateMessage(_ messageUpdate: MessageUpdate, _ server: ServerOptions) async throws {
        try await server.updateMessage(id, app, messageUpdate)
    }
}

extension ServerOptions {
    /// Steers a message and shows how far it has come.
    fileprivate func updateMessage(_ id: MessageID, _ app: AppID, _ messageUpdate: MessageUpdate) async throws {
        try await run { client in
            let state = try await client.updateMessage(id, app: app, messageUpdate)
            if json {
                Terminal.say(JSON.members(["message_id": .number(id.rawValue), "state": .text(state.name)]).line)
            } else {
                let done = state == .finished && messageUpdate != .cancel ? ": nothing was left to steer" : ""
                Terminal.say("message \(id)  \(state.name)\(done)")
            }
        }
    }
}
