import ArgumentParser
import CarillonClient
import CarillonCommandLine
import CarillonCore

struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Stops a message; devices without an outcome end as cancelled.",
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
        abstract: "Pauses a message until it is resumed, also across a restart of the server.",
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
        abstract: "Continues after a pause; a scheduled message starts now.",
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
        abstract: "Limits the deliveries of a message a second.",
        discussion: """
            Examples:
              carillon message pace 42 500 --app com.example.game
              carillon message pace 42 none --app com.example.game
            """
    )

    /// A limit of deliveries a second, or none.
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

    @Argument(help: ArgumentHelp("The most deliveries a second, or none for no limit.", valueName: "count|none"))
    var bound: Bound

    @Option(help: ArgumentHelp("The app: its bundle id.", valueName: "bundle-id"))
    var app: AppID

    @OptionGroup(title: "Server") var server: ServerOptions

    func run() async throws {
        var pace: UInt32?
        if case .perSecond(let number) = bound { pace = number }
        try await server.updateMessage(id, app: app, .pace(pace))
    }
}

extension MessageArguments {
    fileprivate func updateMessage(_ messageUpdate: MessageUpdate, _ server: ServerOptions) async throws {
        try await server.updateMessage(id, app: app, messageUpdate)
    }
}

extension ServerOptions {
    /// Updates a message and shows its state.
    fileprivate func updateMessage(_ id: MessageID, app: AppID, _ messageUpdate: MessageUpdate) async throws {
        try await run { client in
            let state = try await client.updateMessage(id, app: app, messageUpdate)
            if json {
                Terminal.printLine(JSON.members(["message_id": .number(id.rawValue), "state": .text(state.name)]).line)
            } else {
                let done = state == .finished && messageUpdate != .cancel ? ": nothing was left to change" : ""
                Terminal.printLine("message \(id)  \(state.name)\(done)")
            }
        }
    }
}
